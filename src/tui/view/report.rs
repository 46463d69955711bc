//! What has been learned, as pictures: for the screen, and for a terminal without one.

use std::sync::Arc;

use super::header::mark_of;
use super::paint::Piece;
use super::prose::{Line, wrap};
use crate::drill::{
    At, Day, Deck, InterviewRecord, Level, Limits, Progress, Standing, forecast, queue, red_flags,
};
use crate::lesson::Lesson;
use crate::tui::glyphs::Glyphs;
use crate::tui::theme::Tone;

/// Days of the forecast.
const AHEAD: usize = 10;

/// Weeks of what was recalled.
const WEEKS: i64 = 8;

/// Interviews that are shown.
const INTERVIEWS: usize = 8;

/// Columns of a bar.
const BAR: usize = 28;

/// What a learner's progress is drawn from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report<'a> {
    pub lessons: &'a [Arc<Lesson>],
    pub deck: &'a Deck,
    pub progress: &'a Progress,
    pub now: At,
    pub glyphs: Glyphs,
}

/// A picture and what it is of.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub title: String,
    pub lines: Vec<Line>,
}

/// Everything, in lines of plain text.
pub fn report(lessons: &[Arc<Lesson>], deck: &Deck, progress: &Progress, now: At, glyphs: Glyphs) -> String {
    let report = Report { lessons, deck, progress, now, glyphs };
    let mut text = String::new();
    for Section { title, lines } in [report.lessons()].into_iter().chain(report.cards()) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&title);
        text.push('\n');
        for line in lines {
            let line: String = line.into_iter().map(|(piece, _)| piece).collect();
            text.push_str(format!("  {line}").trim_end());
            text.push('\n');
        }
    }
    glyphs.plain(text)
}

impl Report<'_> {
    /// How far each lesson is, and how well it went.
    pub(super) fn lessons(&self) -> Section {
        let stand = |lesson: &Lesson| {
            self.progress.standing(&lesson.slug, lesson.takes.iter().map(|take| take.name.as_str()))
        };
        let done = self.lessons.iter().filter(|lesson| stand(lesson) == Standing::Done).count();
        let head = format!("{:<40}{:>10}{:>6}{:>10}{:>7}", "", "predicted", "said", "repaired", "cards");
        let mut lines = vec![vec![(head, Tone::Dim)]];
        for lesson in self.lessons {
            let (mark, tone) = mark_of(stand(lesson));
            let [predicted, said, repaired, cards] = self.figures(lesson).map(Option::unwrap_or_default);
            let figures = format!("{predicted:>10}{said:>6}{repaired:>10}{cards:>7}");
            lines.push(vec![
                (format!("{mark} "), tone),
                (format!("{:>2}  {:<34}", lesson.number(), lesson.title), Tone::Plain),
                (figures, Tone::Plain),
            ]);
        }
        Section { title: format!("lessons   {done} of {} done", self.lessons.len()), lines }
    }

    /// How well a lesson went: predictions, what was said aloud, queries of the repair, cards; each where there is something.
    fn figures(&self, lesson: &Lesson) -> [Option<String>; 4] {
        let of = |part: u32, whole: u32| (whole > 0).then(|| format!("{part}/{whole}"));
        let record = self.progress.lessons.get(&lesson.slug).cloned().unwrap_or_default();
        let repaired = record.repaired.map(|(queries, solution)| match solution {
            Some(best) => format!("{queries}/{best}"),
            None => queries.to_string(),
        });
        let (asked, cards) = self.asked(&lesson.slug);
        [
            of(record.right, record.right + record.wrong),
            record.said.and_then(|(points, all)| of(points, all)),
            repaired,
            of(asked, cards).filter(|_| asked > 0),
        ]
    }

    /// The same in words; none where there is nothing yet.
    pub(super) fn lesson(&self, lesson: &Lesson, width: u16) -> Vec<Line> {
        let figures = ["predicted", "said", "repaired", "cards"].into_iter().zip(self.figures(lesson));
        let mut told = Line::new();
        for (name, figure) in figures.filter_map(|(name, figure)| Some((name, figure?))) {
            let comma = if told.is_empty() { "" } else { ", " };
            told.extend([(format!("{comma}{name} "), Tone::Dim), (figure, Tone::Plain)]);
        }
        if told.is_empty() { Vec::new() } else { wrap(&told, width) }
    }

    /// The cards of a deck that were asked so far, of how many.
    fn asked(&self, deck: &str) -> (u32, u32) {
        let own = self.deck.cards.iter().filter(|card| card.deck == deck);
        own.fold((0, 0), |(asked, all), card| {
            let known = self.progress.cards.get(&card.id).is_some_and(|known| known.memory.is_some());
            (asked + u32::from(known), all + 1)
        })
    }

    /// All about cards and interviews of which there is something to tell.
    pub(super) fn cards(&self) -> Vec<Section> {
        [Some(self.today()), self.forecast(), self.recalled(), self.interviews()]
            .into_iter()
            .flatten()
            .collect()
    }

    fn today(&self) -> Section {
        let now = queue(self.deck, self.progress, self.now, Limits::default());
        let known = |id: &String| self.progress.cards.get(id).is_some_and(|known| known.memory.is_some());
        let asked = self.deck.cards.iter().filter(|card| known(&card.id)).count();
        let today = format!(
            "today {} due, {} being learned, {} new",
            now.due.len(),
            now.learning.len() + now.soon.len(),
            now.new.len()
        );
        Section {
            title: format!("cards   {asked} of {} asked so far", self.deck.cards.len()),
            lines: vec![vec![(today, Tone::Plain)]],
        }
    }

    /// What comes up on the next days; none where nothing does.
    pub(super) fn forecast(&self) -> Option<Section> {
        let days = forecast(self.deck, self.progress, self.now, AHEAD);
        let most = days.iter().copied().max().filter(|most| *most > 0)?;
        let row = |(ahead, count): (usize, &usize)| {
            let name = match ahead {
                0 => "today".to_owned(),
                1 => "tomorrow".to_owned(),
                days => format!("in {days} days"),
            };
            let (full, _) = bar(self.glyphs, *count as f64 / most as f64, BAR);
            vec![
                (format!("{name:>12} "), Tone::Dim),
                (format!("{count:>5} "), Tone::Plain),
                (full, Tone::Accent),
            ]
        };
        let lines = days.iter().enumerate().map(row).collect();
        Some(Section { title: "due on the next days".to_owned(), lines })
    }

    /// How many reviews were recalled, week by week; none where there was none.
    pub(super) fn recalled(&self) -> Option<Section> {
        let today = self.progress.calendar.day(self.now);
        let of_week = |ago: i64| {
            let end = self.progress.calendar.start(Day(today.0 - 7 * ago));
            self.progress.recalled(end, 7).map(|share| (ago, share))
        };
        let weeks: Vec<(i64, f64)> = (0..WEEKS).rev().filter_map(of_week).collect();
        let wish = self.progress.retention;
        let row = |(ago, share): &(i64, f64)| {
            let name = match ago {
                0 => "this week".to_owned(),
                1 => "last week".to_owned(),
                weeks => format!("{weeks} weeks ago"),
            };
            let (full, rest) = bar(self.glyphs, *share, BAR);
            vec![
                (format!("{name:>12} "), Tone::Dim),
                (format!("{:>3.0} % ", share * 100.0), Tone::Plain),
                (full, if *share + 0.005 < wish.share() { Tone::Accent } else { Tone::Good }),
                (rest, Tone::Dim),
            ]
        };
        let lines: Vec<Line> = weeks.iter().map(row).collect();
        (!lines.is_empty())
            .then(|| Section { title: format!("recalled when they came up   wished for: {wish}"), lines })
    }

    fn interviews(&self) -> Option<Section> {
        let lines = trend(self.glyphs, self.progress, None, INTERVIEWS);
        (!lines.is_empty()).then(|| Section { title: "mock interviews".to_owned(), lines })
    }
}

/// The last interviews, of one level or of all, oldest first.
pub(super) fn trend(glyphs: Glyphs, progress: &Progress, level: Option<Level>, most: usize) -> Vec<Line> {
    let all = progress.interviews.iter().filter(|one| level.is_none_or(|level| one.level == level));
    let mut last: Vec<_> = all.rev().take(most).collect();
    last.reverse();
    let row = |one: &&InterviewRecord| {
        let (full, rest) = bar(glyphs, one.share(), BAR);
        vec![
            (format!("{:>12} ", one.level.name()), Tone::Dim),
            (format!("{:>3.0} % ", one.share() * 100.0), Tone::Plain),
            (full, Tone::Accent),
            (rest, Tone::Dim),
            (format!(" {}", red_flags(one.flags)), Tone::Bad),
        ]
    };
    last.iter().map(row).collect()
}

/// A bar: what is full of it, and the rest.
pub(super) fn bar(glyphs: Glyphs, share: f64, width: usize) -> (String, String) {
    let full = (share.clamp(0.0, 1.0) * width as f64).round() as usize;
    (glyphs.pick("█", "#").repeat(full), glyphs.pick("·", ".").repeat(width - full))
}

/// A section under its title.
pub(super) fn titled(section: Section) -> Vec<Line> {
    let title: Piece = (section.title, Tone::Strong);
    let lines = section.lines.into_iter();
    [vec![title]].into_iter().chain(lines).chain([Line::new()]).collect()
}
