//! The terminal, taken and always given back.

use std::io::{self, Stdout};
use std::sync::Once;

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

/// The screen while it is ours. Dropping it gives the terminal back; so does a panic in any thread.
pub(super) struct Screen {
    pub terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// Takes the terminal: raw mode and the alternate screen.
    ///
    /// # Errors
    /// When it is not a terminal or refuses.
    pub(super) fn take() -> io::Result<Self> {
        restore_on_panic();
        enter()?;
        Ok(Self { terminal: Terminal::new(CrosstermBackend::new(io::stdout()))? })
    }

    /// Gives the terminal back, stops the program as Ctrl-Z would, and takes the terminal again when it goes on.
    ///
    /// # Errors
    /// When the terminal cannot be taken again.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        leave();
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
        enter()?;
        self.redraw()
    }

    /// Gives the terminal to somebody else for as long as that takes.
    ///
    /// # Errors
    /// When the terminal cannot be taken again.
    pub(super) fn lend<T>(&mut self, to: impl FnOnce() -> T) -> io::Result<T> {
        leave();
        let done = to();
        enter()?;
        self.redraw()?;
        Ok(done)
    }

    /// Forgets what is on the screen, so that the next frame is drawn whole.
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub(super) fn redraw(&mut self) -> io::Result<()> {
        // ratatui's own `clear` asks the terminal for the cursor, and the answer would arrive among the keys.
        execute!(io::stdout(), Clear(ClearType::All))?;
        self.terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

/// Puts a text on the clipboard, where the terminal lets programs do that (OSC 52).
///
/// # Errors
/// When the terminal cannot be written to.
pub(super) fn copy(text: &str) -> io::Result<()> {
    execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text))
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste, Hide)
}

/// Everything may fail here when the terminal is gone; then there is nothing to give back.
fn leave() {
    let _ = execute!(io::stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}

/// Panics are printed on a terminal that has been given back, whatever thread they happen in.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            leave();
            before(panic);
        }));
    });
}
