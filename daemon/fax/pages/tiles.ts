/**
 * How each tile of a page becomes black and white, so that text and photographs are done each in its own way. Tiles of shade that
 * touch are judged together: a photograph has even parts, and a shaded box of a form must not be torn.
 */
import type { Gray } from './bitmap.ts'
import { faintThreshold, fill, judgeTile, line, strokesIn, tintIn, tone, type Box, type Tile } from './tile.ts'

export const tileWidth = 32

/** How the dots of a tile become black or white: by one threshold, or as dots of a screen. */
export interface TilePlan {
  readonly across: number
  readonly down: number
  readonly tileRows: number
  /** Per tile: 0 is screen, else dots below it are black. */
  readonly thresholds: Uint8Array
  /** Brightness of the paper, and of what is behind the text in each tile. */
  readonly paper: number
  readonly backgrounds: Uint8Array
  /** Tiles with even shade in them or next to them: 1, others 0. */
  readonly shaded: Uint8Array
}

/** How far from a shade that becomes ink towards paper a dot is black; less than half, to keep light letters on it open. */
const inkAbove = 0.4

/** Paper as white as this was never scanned. */
export const cleanPaper = 250

/** Share of the background's brightness below which a dot is black; where all strokes are, those are not made wider than they are. */
const blackBelow = 0.7
const halfBlack = 0.6

type Place = (tile: number) => Box

/** Tiles to the left and right, above and below. */
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

/**
 * Pictures of few even shades, such as a phantom or bare skin: wide areas without paper, of three shades and more, with hardly any text.
 * The shadow of a scanner has no dark part.
 */
function evenPictures(gray: Gray, tiles: readonly Tile[], across: number, place: Place, paper: number): number[][] {
  const seen = new Set<number>()
  const areas: number[][] = []
  tiles.forEach((start, index) => {
    const isShaded = (tile: number): boolean => (tiles[tile] as Tile).background < paper * 0.93
    if (seen.has(index) || start.background >= paper * 0.93) return
    const area = spread([index], across, tiles.length, isShaded)
    for (const tile of area) seen.add(tile)
    if (area.length < 64) return
    const shades = new Uint32Array(16)
    for (const tile of area) shades[(tiles[tile] as Tile).background >> 4]!++
    const many = [...shades.keys()].filter((shade) => (shades[shade] as number) >= area.length * 0.04)
    if (many.length < 3 || (paper < cleanPaper && (many[0] as number) * 16 > paper * 0.5)) return
    const withText = area.filter((tile) => {
      const { level } = tiles[tile] as Tile
      return level > paper * 0.3 && Math.max(...strokesIn(gray, place(tile), level)) >= 20
    })
    if (withText.length < area.length * 0.15) areas.push(area)
  })
  return areas
}

/** Tiles from edge to edge of a picture, as [left, top, right, bottom]; right and bottom are inside. */
function frameOf(group: readonly number[], across: number): [number, number, number, number] {
  const columns = group.map((tile) => tile % across)
  const rows = group.map((tile) => Math.floor(tile / across))
  return [Math.min(...columns), Math.min(...rows), Math.max(...columns), Math.max(...rows)]
}

/**
 * Pictures are mostly upright boxes, and their dark and light even parts belong to them: the background of an X-ray, the sky. What has
 * the brightness of paper stays out, with the text on it.
 */
function fillFrames(tiles: readonly Tile[], pictures: readonly number[][], inPicture: Set<number>, across: number, paper: number): void {
  for (const group of pictures) {
    const [left, top, right, bottom] = frameOf(group, across)
    const inside: number[] = []
    for (let row = top; row <= bottom; row++) for (let column = left; column <= right; column++) inside.push(row * across + column)
    const belongs = (tile: number): boolean => inPicture.has(tile) || (tiles[tile] as Tile).background < paper * 0.9
    const part = inside.filter(belongs)
    if (group.length < 9 || part.length < inside.length * 0.6) continue
    for (const tile of part) inPicture.add(tile)
    // Its brightest parts lie between others.
    for (let round = 0; round < 4; round++) {
      const enclosed = inside.filter(
        (tile) => !inPicture.has(tile) && neighbours(tile, across, tiles.length).filter((other) => inPicture.has(other)).length >= 3,
      )
      for (const tile of enclosed) inPicture.add(tile)
    }
  }
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

/** What a picture on a clean page runs out in: pale tones without paper between them, and the tiles where those end. */
function addRims(tiles: readonly Tile[], inPicture: Set<number>, across: number, hasText: (tile: number) => boolean): void {
  const without = spread([...inPicture], across, tiles.length, (tile) => (tiles[tile] as Tile).bare && !hasText(tile))
  const rims = without
    .flatMap((tile) => neighbours(tile, across, tiles.length))
    .filter((tile) => tiles[tile]?.light === true && !hasText(tile))
  for (const tile of [...without, ...rims]) inPicture.add(tile)
}

/** Busy tiles inside a photograph are part of it. */
function closeGaps(tiles: Tile[], across: number): void {
  const kinds = tiles.map((tile) => tile.kind)
  tiles.forEach((tile, index) => {
    if (tile.kind !== line) return
    if (neighbours(index, across, tiles.length).filter((other) => kinds[other] === tone).length >= 3) tile.kind = tone
  })
}

/** A tile of tones among others of shade on all four sides: a coloured word is never that thick, however soft its scan is. */
function hasCore(tiles: readonly Tile[], group: readonly number[], across: number): boolean {
  const members = new Set(group)
  return group.some((tile) => {
    const around = neighbours(tile, across, tiles.length).filter((other) => members.has(other))
    return tiles[tile]?.kind === tone && around.length === 4 && around.filter((other) => tiles[other]?.kind === tone).length >= 2
  })
}

/** Shaded by many tones, or even in each tile but of many shades together, as a sky is. A form has few shades. */
function isPicture(tiles: readonly Tile[], group: readonly number[], across: number): boolean {
  const tones = group.filter((tile) => tiles[tile]?.kind === tone).length
  if (tones >= 4 && tones >= group.length * 0.2) return hasCore(tiles, group, across)
  const shades = new Uint32Array(16)
  for (const tile of group) shades[(tiles[tile] as Tile).level >> 4]!++
  return group.length >= 16 && shades.filter((count) => count >= group.length * 0.06).length >= 5
}

/**
 * Whether the shade of each tile of a group becomes paper or ink: text on it decides, dark text wants paper and light text ink.
 * A tile without text follows the nearest that has some; where none has, nothing is said of them.
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
  const own = new Set(verdicts.keys())
  spread([...own], across, tiles.length, (tile, from) => {
    // A tile at the edge of a box ends it: what lies beyond its strip of paper is another box.
    if (!own.has(from) && (tiles[from] as Tile).background > paper * 0.9) return false
    // Text on paper says nothing of a shade next to it.
    if ((tiles[from] as Tile).level > paper * 0.9) return false
    if (members.has(tile) && !verdicts.has(tile)) verdicts.set(tile, verdicts.get(from) as boolean)
    return members.has(tile)
  })
  // Its corners.
  for (const tile of group) {
    const beside = neighbours(tile, across, tiles.length).find(
      (other) => members.has(other) && verdicts.has(other) && (tiles[other] as Tile).level <= paper * 0.9,
    )
    if (!verdicts.has(tile) && beside !== undefined) verdicts.set(tile, verdicts.get(beside) as boolean)
  }
  return verdicts
}

/** Shaded from edge to edge, or nearly. */
const isFull = ({ kind, level, background }: Tile, paper: number): boolean =>
  kind === fill && background <= level + 24 && level < paper * 0.85

/** On scanned paper a light shade is a shadow. */
function isShade({ kind, level }: Tile, paper: number): boolean {
  return kind === fill && level > paper * 0.3 && level < paper * (paper >= cleanPaper ? 0.78 : 0.6)
}

/** Those tiles, and the tiles around them. */
export function withAround(which: readonly boolean[], across: number): Uint8Array {
  const beside = which.map(
    (own, tile) => own || (tile % across > 0 && which[tile - 1]!) || (tile % across < across - 1 && which[tile + 1]!),
  )
  return Uint8Array.from(beside, (own, tile) => (own || beside[tile - across] || beside[tile + across] ? 1 : 0))
}

/** A box of shade ends within a tile: what of it lies there must not stand out of the paper as a mark. */
function darkestAround(backgrounds: Uint8Array, across: number): Uint8Array {
  return backgrounds.map((own, tile) => {
    let least = own
    for (let row = tile - across; row <= tile + across; row += across) {
      for (let other = row - 1; other <= row + 1; other++) {
        const besides = Math.abs((other % across) - (tile % across)) <= 1
        if (other >= 0 && other < backgrounds.length && besides) least = Math.min(least, backgrounds[other] as number)
      }
    }
    return least
  })
}

/** `tileRows` is 32 for fine, 16 for standard pages; `paper` its brightness. */
export function planTiles(gray: Gray, tileRows: number, paper: number): TilePlan {
  const across = Math.ceil(gray.width / tileWidth)
  const down = Math.ceil(gray.rows / tileRows)
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
  // Scanned paper has shadows.
  const backgrounds = Uint8Array.from(tiles, ({ background, white }, tile) =>
    white ? paper : paper >= cleanPaper ? tintIn(gray, place(tile), paper) : Math.min(paper, background),
  )
  const shaded = withAround(
    tiles.map(({ kind }, tile) => kind !== line || (backgrounds[tile] as number) < paper),
    across,
  )
  closeGaps(tiles, across)
  const shareOf = ({ kind, black }: Tile): number => (paper >= cleanPaper && kind === line && black ? halfBlack : blackBelow)
  const thresholds = Uint8Array.from(tiles, (tile, index) => Math.max(1, faint[index] || tile.level * shareOf(tile)))
  const groups = groupsOf(tiles, across)
  const pictures = groups.filter((group) => isPicture(tiles, group, across))
  const inPicture = new Set(pictures.flat())
  const hasText = (tile: number): boolean =>
    Math.max(...strokesIn(gray, place(tile), (tiles[tile] as Tile).level)) >= tileWidth * tileRows * 0.02
  for (const part of partsBeside(tiles, inPicture, across)) {
    if (!part.some(hasText)) for (const tile of part) inPicture.add(tile)
  }
  const even = evenPictures(gray, tiles, across, place, paper)
  for (const tile of even.flat()) inPicture.add(tile)
  fillFrames(tiles, [...pictures, ...even], inPicture, across, paper)
  if (paper >= cleanPaper) addRims(tiles, inPicture, across, hasText)
  for (const tile of inPicture) thresholds[tile] = 0
  for (const whole of groups) {
    const group = whole.filter((tile) => !inPicture.has(tile))
    // Tones that are no picture are coloured words in a scan: text on the paper they stand on.
    for (const tile of group) {
      const { kind, background } = tiles[tile] as Tile
      if (kind === tone && background > paper * 0.75) thresholds[tile] = background * blackBelow
    }
    const verdicts = shadesAsPaper(gray, tiles, group, across, place, paper)
    // A shaded box without text: dots show its shade, black would be a bar over something.
    const isWide = group.some((tile) => isFull(tiles[tile] as Tile, paper))
    for (const tile of group) {
      if (verdicts.has(tile)) continue
      if (isWide && isShade(tiles[tile] as Tile, paper)) thresholds[tile] = 0
      // A thick stroke, such as the frame of a stamp: ink below the usual threshold.
      else verdicts.set(tile, (tiles[tile] as Tile).level >= paper * blackBelow)
    }
    for (const [tile, asPaper] of verdicts) {
      const { level } = tiles[tile] as Tile
      thresholds[tile] = Math.max(
        1,
        asPaper ? level * blackBelow : Math.max(level + (paper - level) * inkAbove, Math.min(level, paper) * 1.1),
      )
      if (!asPaper) continue
      if (isWide) backgrounds[tile] = level
      if (level >= paper * blackBelow) continue
      // The part of the box that lies in a neighbouring tile is paper as well.
      for (const beside of neighbours(tile, across, tiles.length)) {
        if (tiles[beside]?.kind === line && !inPicture.has(beside))
          thresholds[beside] = Math.min(thresholds[beside] as number, Math.max(1, level * blackBelow))
      }
    }
  }
  return { across, down, tileRows, thresholds, paper, backgrounds: darkestAround(backgrounds, across), shaded }
}
