//! A survey: curves over a knob's values, and how long fills take.

use ratatui::layout::Rect;

use super::paint::{Edge, Paint};
use crate::judge::Point;
use crate::lab::Span;
use crate::lesson::{Curve, Survey};
use crate::tui::glyphs::Glyph;
use crate::tui::model::Surveying;
use crate::tui::theme::Tone;

/// The width of a value's column.
const COLUMN: u16 = 6;

/// Rows of a curve, and of the distribution: a third of what titles and figures leave.
fn high(area: Rect) -> u16 {
    (area.height.saturating_sub(13) / 3).clamp(3, 8)
}

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, surveying: &Surveying) {
    let Some(survey) = &surveying.lesson.survey else { return };
    paint.clear(area);
    let right = [(format!("{} values", survey.values.len()), Tone::Dim)];
    let title = format!("survey  {} turns", survey.knob);
    let inner = paint.pane(area, Edge::Box, &title, &right, true);
    let inner = Rect::new(inner.x + 1, inner.y, inner.width.saturating_sub(2), inner.height);
    let high = high(inner);
    let mut y = values(paint, inner, survey, surveying);
    for (index, curve) in survey.curves.iter().enumerate() {
        y = draw_curve(paint, Rect { y, ..inner }, surveying, (curve, index), high);
    }
    let rest = Rect { y: y + 1, height: inner.bottom().saturating_sub(y + 2), ..inner };
    distribution(paint, rest, surveying, high);
    let done = surveying.points.len() == survey.values.len() || surveying.trouble.is_some();
    let progress = format!("{} of {} values…   Esc closes", surveying.points.len(), survey.values.len());
    let hint = match &surveying.trouble {
        Some(trouble) => trouble.clone(),
        None if done => "Esc closes; e turns the knob, and the mark moves with it".to_owned(),
        None => progress,
    };
    paint.text(inner.x, inner.bottom().saturating_sub(1), &hint, Tone::Dim, inner.width);
}

/// The knob's values, the learner's own marked; returns the next row.
fn values(paint: &mut Paint<'_>, area: Rect, survey: &Survey, surveying: &Surveying) -> u16 {
    let nearest = nearest(survey, surveying.knob);
    for (column, value) in (0..).zip(&survey.values) {
        let here = Some(*value) == nearest;
        let tone = if here { Tone::Accent } else { Tone::Dim };
        let x = area.x + column * COLUMN;
        if x + COLUMN <= area.right() {
            paint.text(x, area.y, &format!("{value:>5}"), tone, COLUMN);
        }
    }
    area.y + 1
}

fn nearest(survey: &Survey, knob: i64) -> Option<i64> {
    survey.values.iter().copied().min_by_key(|value| value.abs_diff(knob))
}

/// Bars over the values, their figures below; returns the next row.
fn draw_curve(
    paint: &mut Paint<'_>,
    area: Rect,
    surveying: &Surveying,
    (curve, index): (&Curve, usize),
    high: u16,
) -> u16 {
    paint.text(area.x, area.y, &curve.label, Tone::Strong, area.width);
    let figure = |point: &Point| point.figures.get(index).copied().unwrap_or_default();
    let most = surveying.points.iter().map(figure).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    for (column, point) in (0..).zip(&surveying.points) {
        let x = area.x + column * COLUMN;
        if x + COLUMN > area.right() {
            break;
        }
        let value = figure(point);
        let place = Rect::new(x + 2, area.y + 1, 3, high);
        bar(paint, place, value / most, Tone::Accent);
        let text = match curve.of {
            Some(_) => format!("{:.0}%", value * 100.0),
            None => format!("{:.1}s", value / 1000.0),
        };
        paint.text(x, area.y + high + 1, &format!("{text:>5}"), Tone::Plain, COLUMN);
    }
    area.y + high + 2
}

/// A bar from the bottom of `place`, as high as that when `share` is 1.
fn bar(paint: &mut Paint<'_>, place: Rect, share: f64, tone: Tone) {
    let eighths = (share * f64::from(place.height) * 8.0).round() as u16;
    for row in 0..place.height {
        let level = eighths.saturating_sub(row * 8).min(8);
        if level > 0 {
            let sign = paint.glyphs.sign(Glyph::Level(level as u8));
            let y = place.bottom() - 1 - row;
            (place.x..place.right()).for_each(|x| paint.put(x, y, sign, tone));
        }
    }
}

/// How many fills took how long, with the median, the 99th percentile and the knob where they fall.
fn distribution(paint: &mut Paint<'_>, area: Rect, surveying: &Surveying, high: u16) {
    let Some(fills) = surveying.points.first().map(|point| &point.fills).filter(|fills| !fills.is_empty())
    else {
        return;
    };
    if area.height < high + 3 {
        return;
    }
    let knob = Span::from_millis(surveying.knob.unsigned_abs());
    let percentile = |percent: usize| fills[(fills.len() * percent).div_ceil(100).max(1) - 1];
    let (p50, p99) = (percentile(50), percentile(99));
    let longest = fills.last().copied().unwrap_or_default();
    let end = longest.max(Span::from_micros(p99.as_micros() * 3 / 2));
    let width = area.width.max(1);
    let place = |at: Span| {
        let column = at.as_micros() * u64::from(width) / end.as_micros().max(1);
        u16::try_from(column).unwrap_or(u16::MAX).min(width - 1)
    };
    let mut counts = vec![0_u32; usize::from(width)];
    for fill in fills {
        counts[usize::from(place(*fill))] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let title = format!("{} fills   p50 {p50}   p99 {p99}   longest {longest}", fills.len());
    paint.text(area.x, area.y, &title, Tone::Strong, area.width);
    for (column, count) in (0..).zip(&counts) {
        let place = Rect::new(area.x + column, area.y + 1, 1, high);
        bar(paint, place, f64::from(*count) / f64::from(most), Tone::Plain);
    }
    let marks = [(p50, "p50", Tone::Dim), (p99, "p99", Tone::Dim), (knob, "PX", Tone::Accent)];
    let up = paint.glyphs.pick("▴", "^");
    for (row, (at, name, tone)) in (area.y + high + 1..area.bottom()).zip(marks) {
        let beyond = if at > end { " (beyond)" } else { "" };
        let label = format!("{up}{name} {at}{beyond}");
        let x = place(at).min(width.saturating_sub(paint.width(&label)));
        paint.text(area.x + x, row, &label, tone, area.width - x);
    }
}
