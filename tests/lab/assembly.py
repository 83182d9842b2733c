"""How tests write functions in assembly: each in a section of its own, as -ffunction-sections makes them."""

MACROS = """
.macro function name, section
    .section \\section, "ax", @progbits
    .type \\name, @function
    \\name:
.endm
.macro end name
    .size \\name, . - \\name
.endm
"""
