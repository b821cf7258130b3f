// Package chart draws numbers as SVG.
//
// # Guarantees
//
//   - Equal charts give equal bytes. A drawing names no font file, loads nothing and carries no
//     script and no style attribute: its marks have classes, for which CSS gives the rules, and
//     their colours are custom properties (--stage-queue, --ink, --ground ...) which the page
//     that holds the drawing declares for its themes.
//   - A drawing has role="img" with a title and a description in words, and every mark that
//     stands for a number has a title of its own with the number in it, its unit and, where it is
//     known, how many requests it is of.
//   - Nothing is told by colour alone: marks carry a label, a pattern or a shape as well. Time
//     that nothing accounts for is hatched, and what was worked out rather than recorded is
//     striped.
//   - Texts of the input are escaped, characters that cannot be seen are shown as the replacement
//     character, and labels that are too long are cut with the whole of them as title. Numbers
//     that are NaN or infinite are left out, never drawn at 0; all others lie inside the drawing.
//   - What is too much for a picture is left out by a fixed rule and counted in a remark below it.
//     A chart without any number is a sentence that says so.
//
// # Size
//
// A drawing is 680 CSS pixels wide, as width, height and viewBox say, and is not scaled on a
// screen: its texts are 12 and 13 px at any width of a page. The page lets the figure scroll
// sideways where it is narrower, in an element of its own:
//
//	figure .plot { overflow-x: auto }
//
// In print a drawing shrinks to the width of the paper.
//
// # Example
//
//	d := chart.Ranked{Unit: chart.Nanos, Ranks: []chart.Rank{
//		{Label: "queue at its median", Stage: "queue", Value: 3.1e9, Low: 2.7e9, High: 3.4e9},
//	}}
//	page := "<style>" + chart.CSS() + "</style>" + d.SVG("gain", "Without its queue, p99 would be 3.1 s lower")
//
// The elements are those of HTML with SVG in it: a drawing declares no namespace.
package chart
