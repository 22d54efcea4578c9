/**
 * How each tile of a page becomes black and white, so that text and photographs are done each in its own way. Tiles of shade that
 * touch are judged together: a photograph has even parts, and a shaded box of a form must not be torn.
 */
import type { Gray } from './gray.ts'
import { faintThreshold, fill, judgeTile, line, paperOf, strokesIn, tone, type Box, type Tile } from './tile.ts'

export const tileWidth = 32

/** How the dots of a tile become black or white: by one threshold, or as dots of a screen. */
export interface TilePlan {
  readonly across: number
  readonly down: number
  readonly tileRows: number
  /** Per tile: 0 is screen, else dots below it are black. */
  readonly thresholds: Uint8Array
  /** Brightness of the paper. */
  readonly paper: number
}

/** How far from a shade that becomes ink towards paper a dot is black; less than half, to keep light letters on it open. */
const inkAbove = 0.4

/** Paper as white as this was never scanned. */
const cleanPaper = 250

/** Share of the background's brightness below which a dot is black. */
const blackBelow = 0.7

type Place = (tile: number) => Box

/** Tiles beside, above and below. */
function neighbours(tile: number, across: number, count: number): number[] {
  const column = tile % across
  const beside = [column > 0 ? tile - 1 : -1, column < across - 1 ? tile + 1 : -1, tile - across, tile + across]
  return beside.filter((other) => other >= 0 && other < count)
}

/** From the tiles at the start through those that `joins` lets in; each once, nearest first. */
function spread(starts: readonly number[], across: number, count: number, joins: (tile: number, from: number) => boolean): number[] {
  const reached = [...starts]
  const seen = new Set(starts)
  for (let at = 0; at < reached.length; at++) {
    const from = reached[at] as number
    for (const other of neighbours(from, across, count)) {
      if (seen.has(other) || !joins(other, from)) continue
      seen.add(other)
      reached.push(other)
    }
  }
  return reached
}

/** Shades that differ are different boxes, unless one of them is part of a photograph. */
function belongTogether(a: Tile, b: Tile): boolean {
  if (a.kind === line || b.kind === line) return false
  return a.kind === tone || b.kind === tone || Math.abs(a.level - b.level) <= 24
}

/** Tiles of shade that touch, each group as a list of tile numbers. */
function groupsOf(tiles: readonly Tile[], across: number): number[][] {
  const seen = new Set<number>()
  const groups: number[][] = []
  tiles.forEach((tile, start) => {
    if (seen.has(start) || tile.kind === line) return
    const group = spread([start], across, tiles.length, (other, from) => belongTogether(tiles[other] as Tile, tiles[from] as Tile))
    for (const member of group) seen.add(member)
    groups.push(group)
  })
  return groups
}

/** Bright and even areas that touch a picture: parts of it, if no text is on them. */
function partsBeside(tiles: readonly Tile[], inPicture: ReadonlySet<number>, across: number): number[][] {
  const mayJoin = (tile: number): boolean => !inPicture.has(tile) && (tiles[tile]?.kind === fill || tiles[tile]?.light === true)
  const seen = new Set<number>()
  const parts: number[][] = []
  for (const start of [...inPicture].flatMap((tile) => neighbours(tile, across, tiles.length))) {
    if (seen.has(start) || !mayJoin(start)) continue
    const { kind } = tiles[start] as Tile
    const part = spread([start], across, tiles.length, (other, from) => {
      if (!mayJoin(other) || tiles[other]?.kind !== kind) return false
      return kind === line || belongTogether(tiles[other] as Tile, tiles[from] as Tile)
    })
    for (const tile of part) seen.add(tile)
    parts.push(part)
  }
  return parts
}

/** Busy tiles inside a photograph are part of it. */
function closeGaps(tiles: Tile[], across: number): void {
  const kinds = tiles.map((tile) => tile.kind)
  tiles.forEach((tile, index) => {
    if (tile.kind !== line) return
    if (neighbours(index, across, tiles.length).filter((other) => kinds[other] === tone).length >= 3) tile.kind = tone
  })
}

/** Shaded by many tones, or even in each tile but of many shades together, as a sky is. A form has few shades. */
function isPicture(tiles: readonly Tile[], group: readonly number[]): boolean {
  const tones = group.filter((tile) => tiles[tile]?.kind === tone).length
  if (tones >= 4 && tones >= group.length * 0.2) return true
  const shades = new Uint32Array(16)
  for (const tile of group) shades[(tiles[tile] as Tile).level >> 4]!++
  return group.length >= 16 && shades.filter((count) => count >= group.length * 0.06).length >= 5
}

/**
 * Whether the shade of each tile of a group becomes paper or ink: text on it decides, dark text wants paper and light text ink.
 * A tile without text follows the nearest that has some; where none has, a shade is ink below the usual threshold.
 */
function shadesAsPaper(
  gray: Gray,
  tiles: readonly Tile[],
  group: readonly number[],
  across: number,
  place: Place,
  paper: number,
): Map<number, boolean> {
  const verdicts = new Map<number, boolean>()
  for (const tile of group) {
    const { level } = tiles[tile] as Tile
    const [left, top, right, bottom] = place(tile)
    const [dark, light] = strokesIn(gray, place(tile), level)
    if (Math.max(dark, light) >= (right - left) * (bottom - top) * 0.02) verdicts.set(tile, dark > light && level > paper * 0.25)
  }
  const members = new Set(group)
  spread([...verdicts.keys()], across, tiles.length, (tile, from) => {
    if (members.has(tile) && !verdicts.has(tile)) verdicts.set(tile, verdicts.get(from) as boolean)
    return members.has(tile)
  })
  for (const tile of group) if (!verdicts.has(tile)) verdicts.set(tile, (tiles[tile] as Tile).level >= paper * blackBelow)
  return verdicts
}

/** `tileRows` is 32 for fine, 16 for standard pages. */
export function planTiles(gray: Gray, tileRows: number): TilePlan {
  const across = Math.ceil(gray.width / tileWidth)
  const down = Math.ceil(gray.rows / tileRows)
  const paper = paperOf(gray)
  const place: Place = (tile) => {
    const left = (tile % across) * tileWidth
    const top = Math.floor(tile / across) * tileRows
    return [left, top, Math.min(left + tileWidth, gray.width), Math.min(top + tileRows, gray.rows)]
  }
  const tiles = Array.from({ length: across * down }, (_, tile) => judgeTile(gray, place(tile), paper))
  // Scanned paper has grain and shows its other side: nothing faint is to be believed there.
  const faint = tiles.map(({ pale }, tile) => (pale && paper >= cleanPaper ? faintThreshold(gray, place(tile), paper) : 0))
  tiles.forEach((tile, index) => {
    if (faint[index] !== 0 && tile.kind === fill) tile.kind = line
  })
  closeGaps(tiles, across)
  const thresholds = Uint8Array.from(tiles, (tile, index) => Math.max(1, faint[index] || tile.level * blackBelow))
  const groups = groupsOf(tiles, across)
  const pictures = groups.filter((group) => isPicture(tiles, group))
  const inPicture = new Set(pictures.flat())
  for (const part of partsBeside(tiles, inPicture, across)) {
    const text = part.some((tile) => Math.max(...strokesIn(gray, place(tile), (tiles[tile] as Tile).level)) >= tileWidth * tileRows * 0.02)
    if (!text) for (const tile of part) inPicture.add(tile)
  }
  for (const tile of inPicture) thresholds[tile] = 0
  for (const whole of groups) {
    const group = whole.filter((tile) => !inPicture.has(tile))
    for (const [tile, asPaper] of shadesAsPaper(gray, tiles, group, across, place, paper)) {
      const { level } = tiles[tile] as Tile
      thresholds[tile] = Math.max(
        1,
        asPaper ? level * blackBelow : Math.max(level + (paper - level) * inkAbove, Math.min(level, paper) * 1.1),
      )
      if (!asPaper || level >= paper * blackBelow) continue
      // What of the box lies in a tile beside it is paper as well.
      for (const beside of neighbours(tile, across, tiles.length)) {
        if (tiles[beside]?.kind === line && !inPicture.has(beside))
          thresholds[beside] = Math.min(thresholds[beside] as number, Math.max(1, level * blackBelow))
      }
    }
  }
  return { across, down, tileRows, thresholds, paper }
}
