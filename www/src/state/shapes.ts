// Arrows and circles on the board, with chessground's names for their colours.

export interface Shape {
  orig: string;
  /** Without it, the shape is a circle. */
  dest?: string;
  brush: string;
}
