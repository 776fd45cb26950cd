// Arrows and circles on the board, with chessground's names for their colours.

export interface Shape {
  orig: string;
  /** Without it, the shape is a circle. */
  dest?: string;
  brush: string;
}

/** How the engine's arrows look: its best move, and moves nearly as good. Seen on both boards, light and dark. */
export const ENGINE_BRUSHES = {
  paleBlue: { color: '#1668c7', opacity: 0.8, lineWidth: 12 },
  paleGrey: { color: '#5f7688', opacity: 0.75, lineWidth: 9 },
} as const;
