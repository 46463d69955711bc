//! Colours by what they mean. They repeat what letters, shapes and words say already, and never say it alone.

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

/// The themes that ship.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeName {
    #[default]
    Dark,
    Light,
    Mono,
    HighContrast,
}

/// What a piece of the screen is, as far as its look goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tone {
    #[default]
    Plain,
    Dim,
    Strong,
    Accent,
    Good,
    /// A broken rule. Always with a word beside it.
    Bad,
    Code,
    /// A worker's colour, by its number.
    Owner(usize),
    Border,
    /// The border and title of the focused pane.
    Focus,
}

/// A theme's colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Theme {
    pub name: ThemeName,
    palette: Palette,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Palette {
    text: Color,
    dim: Color,
    accent: Color,
    good: Color,
    bad: Color,
    code: Color,
    border: Color,
    owners: Vec<Color>,
}

impl Theme {
    pub(super) fn new(name: ThemeName) -> Self {
        let text = match name {
            ThemeName::Dark => include_str!("../../assets/themes/dark.toml"),
            ThemeName::Light => include_str!("../../assets/themes/light.toml"),
            ThemeName::Mono => include_str!("../../assets/themes/mono.toml"),
            ThemeName::HighContrast => include_str!("../../assets/themes/high-contrast.toml"),
        };
        Self { name, palette: toml::from_str(text).expect("the themes that ship are tested") }
    }

    pub(super) fn next(&self) -> Self {
        Self::new(match self.name {
            ThemeName::Dark => ThemeName::Light,
            ThemeName::Light => ThemeName::Mono,
            ThemeName::Mono => ThemeName::HighContrast,
            ThemeName::HighContrast => ThemeName::Dark,
        })
    }

    pub(super) fn style(&self, tone: Tone) -> Style {
        let palette = &self.palette;
        let plain = |color| Style::new().fg(color);
        let mono = self.name == ThemeName::Mono;
        match tone {
            Tone::Plain => plain(palette.text),
            Tone::Dim if mono => plain(palette.dim).add_modifier(Modifier::DIM),
            Tone::Dim => plain(palette.dim),
            Tone::Strong => plain(palette.text).add_modifier(Modifier::BOLD),
            Tone::Accent => plain(palette.accent).add_modifier(Modifier::BOLD),
            Tone::Good => plain(palette.good),
            Tone::Bad if mono => plain(palette.bad).add_modifier(Modifier::REVERSED),
            Tone::Bad => plain(palette.bad).add_modifier(Modifier::BOLD),
            Tone::Code => plain(palette.code),
            Tone::Owner(number) => plain(palette.owners[number % palette.owners.len()]),
            Tone::Border => plain(palette.border),
            Tone::Focus => plain(palette.accent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_theme_reads_and_the_tour_comes_home() {
        let mut theme = Theme::new(ThemeName::Dark);
        for _ in 0..4 {
            theme = theme.next();
        }
        assert_eq!(theme.name, ThemeName::Dark);
    }
}
