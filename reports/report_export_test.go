package reports

// Mover is mover, for tests of its numbers.
var Mover = mover
