//! The view in the terminal.

mod draw;

use std::io::IsTerminal as _;
use std::sync::mpsc::Sender;

use anyhow::{Context as _, Result, ensure};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};

use super::Message;
use super::model::{Live, Since};

/// The terminal, which is as it was before when this is dropped.
pub(super) struct Tui {
    terminal: DefaultTerminal,
    shown: Shown,
}

/// What is shown.
struct Shown {
    since: Since,
    /// The path of the socket for marks.
    socket: String,
    /// The place of the chosen source.
    chosen: usize,
    /// The first line of it that is shown; `None`: all sources are shown.
    line: Option<usize>,
}

impl Tui {
    /// Takes the terminal, and passes keys on. Errors: there is no terminal.
    pub(super) fn start(socket: &str, sender: Sender<Message>) -> Result<Tui> {
        ensure!(std::io::stdout().is_terminal(), "--tui needs a terminal");
        let terminal = ratatui::try_init().context("the terminal cannot be used")?;
        std::thread::spawn(move || {
            while let Ok(event) = event::read() {
                if let Some(message) = message(&event)
                    && sender.send(message).is_err()
                {
                    return;
                }
            }
        });
        let shown = Shown { since: Since::Start, socket: socket.to_owned(), chosen: 0, line: None };
        Ok(Tui { terminal, shown })
    }

    /// Draws what is known now. Errors: the terminal is gone.
    pub(super) fn draw(&mut self, live: &mut Live<'_>) -> Result<()> {
        self.terminal.draw(|frame| draw::draw(frame, live, &mut self.shown))?;
        Ok(())
    }

    /// Does what a key says. Errors: the terminal is gone.
    pub(super) fn key(&mut self, key: KeyCode, live: &mut Live<'_>) -> Result<()> {
        let shown = &mut self.shown;
        let at = shown.line.as_mut().unwrap_or(&mut shown.chosen);
        let page = usize::from(self.terminal.size()?.height / 2);
        match key {
            KeyCode::Up => *at = at.saturating_sub(1),
            KeyCode::Down => *at = at.saturating_add(1),
            KeyCode::PageUp => *at = at.saturating_sub(page),
            KeyCode::PageDown => *at = at.saturating_add(page),
            KeyCode::Enter | KeyCode::Right if shown.line.is_none() => shown.line = Some(0),
            KeyCode::Enter | KeyCode::Left | KeyCode::Esc => shown.line = None,
            KeyCode::Char('c') => {
                shown.since = if shown.since == Since::Start { Since::Mark } else { Since::Start };
            }
            _ => {}
        }
        self.draw(live)
    }
}

impl Drop for Tui {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

/// Returns what an event asks for. Keys come as they are: Control-C is no signal.
fn message(event: &Event) -> Option<Message> {
    let Event::Key(key) = event else {
        return matches!(event, Event::Resize(..)).then_some(Message::Key(KeyCode::Null));
    };
    match key.code {
        _ if key.kind == KeyEventKind::Release => None,
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Some(Message::Stop),
        KeyCode::Char('q') => Some(Message::Stop),
        KeyCode::Char('m') => Some(Message::Mark(None, Box::new(|_| ()))),
        code => Some(Message::Key(code)),
    }
}
