"""Results of many machines: measured through Dask or Slurm, merged, and compared before and after."""
