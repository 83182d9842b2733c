//! What a probe is asked to do.

const USAGE: &str = "usage: identify | (time | count | memory) WORKLOAD... [--threaded] [--scale NUMBER]";
const DEFAULT_SCALE: i32 = 300_000;

#[derive(Clone, Copy, PartialEq)]
pub enum Action {
    Time,
    Count,
    Memory,
}

/// To measure one or more workloads.
pub struct Command {
    pub action: Action,
    pub workloads: Vec<String>,
    pub threaded: bool,
    pub scale: i32,
}

/// Returns what to measure, or nothing if the probe is to identify itself.
pub fn read() -> Result<Option<Command>, String> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or(USAGE.to_string());

    let action = match next()?.as_str() {
        "identify" => return if next().is_err() { Ok(None) } else { Err(USAGE.to_string()) },
        "time" => Action::Time,
        "count" => Action::Count,
        "memory" => Action::Memory,
        _ => return Err(USAGE.to_string()),
    };
    let mut asked = Command { action, workloads: Vec::new(), threaded: false, scale: DEFAULT_SCALE };
    while let Ok(argument) = next() {
        match argument.as_str() {
            "--threaded" => asked.threaded = true,
            "--scale" => asked.scale = positive_number(&next()?)?,
            option if option.starts_with("--") => return Err(format!("unknown option \"{option}\"")),
            _ => asked.workloads.push(argument),
        }
    }
    if asked.workloads.is_empty() {
        return Err(USAGE.to_string());
    }
    Ok(Some(asked))
}

fn positive_number(text: &str) -> Result<i32, String> {
    match text.parse() {
        Ok(scale) if scale > 0 => Ok(scale),
        _ => Err(format!("--scale needs a positive number, not \"{text}\"")),
    }
}
