//! The learner's own editor.

use std::path::Path;
use std::process::Command;

/// Runs `$VISUAL`, or `$EDITOR`, or `vi`, on a file and waits until it is closed.
///
/// # Errors
/// A message that says what to do, when it cannot be started or ends with an error.
pub(super) fn edit(path: &Path) -> Result<(), String> {
    let set = ["VISUAL", "EDITOR"].into_iter().filter_map(|name| std::env::var(name).ok());
    let line = set.into_iter().find(|line| !line.trim().is_empty()).unwrap_or_else(|| "vi".to_owned());
    // As a shell would: the variable may hold arguments, and paths with spaces in quotes.
    let status = Command::new("sh").arg("-c").arg(format!("{line} \"$1\"")).arg("sh").arg(path).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("`{line}` did not end well; set $EDITOR, or edit {} elsewhere", path.display())),
        Err(error) => Err(format!("could not start `{line}`: {error}; edit {} elsewhere", path.display())),
    }
}
