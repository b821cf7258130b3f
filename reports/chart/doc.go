// Package chart draws numbers as SVG.
//
// # Guarantees
//
//   - Equal charts give equal bytes. A drawing names no font file, loads nothing and carries no
//     script; its colours are custom properties (--stage-queue, --ink, --ground ...) which the
//     page that holds it declares for its themes.
//   - A drawing has role="img" with a title and a description, and every mark that stands for a
//     number has a title of its own with the number in it.
//   - Nothing is told by colour alone: marks carry a label, a pattern or a shape as well.
//   - Texts are escaped. Numbers that are NaN or infinite are left out, never drawn at 0.
//   - It fits a width of 320 CSS pixels: drawings scale, and their texts stay at 11 px or more
//     at the widths of a page.
package chart
