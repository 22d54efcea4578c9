/**
 * A table of thousands of rows. Only those in and around the window are in the document, at most 76 and a head; two more rows keep the place
 * of the others. All rows are of one height, which the style sheet gives them. On a telephone each row is a card. On paper all rows stand.
 */
import { signal } from '@preact/signals'
import { Component } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Cells, Heads, type TableProps } from './Table.tsx'

/** A row that names those which follow. */
export interface Heading {
  readonly heading: string
  readonly count: number
}

export interface LongTableProps<R extends object> extends Omit<TableProps<R>, 'rows'> {
  readonly rows: readonly (R | Heading)[]
  /** There are more rows than these. */
  readonly more?: boolean
  /** Called while the window is near the last row and there are more. */
  readonly onMore?: () => void
  /** A row was pressed somewhere. Its head cell has a link of its own for the keys. */
  readonly onOpen?: (row: R) => void
  readonly rowClass?: string
}

const isPrinted = signal(false)
addEventListener('beforeprint', () => (isPrinted.value = true))
addEventListener('afterprint', () => (isPrinted.value = false))
matchMedia('print').addEventListener('change', ({ matches }) => (isPrinted.value = matches))

/** Prints the page with all rows. A script that prints runs on while the page hears of it, so that the rows have to stand before. */
export function printAll(): void {
  isPrinted.value = true
  setTimeout(() => print(), 0)
}

/** Rows above and below the window. */
const around = 12
const mostRows = 76
/** Rows that come before the window reaches them. */
const ahead = 80
/** The first row moves in such steps, so that a small movement draws nothing. */
const step = 4

interface Place {
  readonly from: number
  readonly count: number
  /** Of a row, in pixels; 0 until one was measured. */
  readonly height: number
}

export function LongTable<R extends object>(props: LongTableProps<R>) {
  const { caption, columns, rows, keyOf, chosen, more = false, onOpen, rowClass = '' } = props
  const { body, place } = useWindow(props)
  const from = isPrinted.value ? 0 : place.from
  const shown = isPrinted.value ? rows : rows.slice(from, from + place.count)
  const below = Math.max(0, rows.length - from - shown.length)
  return (
    <div class="long">
      <table role="table" aria-label={caption} aria-rowcount={more ? -1 : rows.length + 1}>
        <Heads columns={columns} />
        <tbody role="rowgroup" ref={body}>
          <Space rows={from} height={place.height} />
          {shown.map((row, n) => (
            <Line
              key={idOf(row, keyOf)}
              {...{ row, columns, onOpen, rowClass }}
              id={idOf(row, keyOf)}
              at={from + n + 2}
              isChosen={idOf(row, keyOf) === chosen}
            />
          ))}
          <Space rows={below} height={place.height} />
        </tbody>
      </table>
    </div>
  )
}

const idOf = <R extends object>(row: R | Heading, keyOf: (row: R) => string): string => ('heading' in row ? row.heading : keyOf(row))

interface LineProps<R extends object> extends Pick<LongTableProps<R>, 'columns'> {
  readonly onOpen: LongTableProps<R>['onOpen'] | undefined
  readonly row: R | Heading
  readonly id: string
  /** Its place in the whole table, the head included. */
  readonly at: number
  readonly rowClass: string
  readonly isChosen: boolean
}

/** Drawn when it has changed: while the table is scrolled, only rows that come in are. What a cell reads of a signal changes the state. */
class Line<R extends object> extends Component<LineProps<R>> {
  override shouldComponentUpdate(next: LineProps<R>, state: unknown): boolean {
    return state !== this.state || (Object.keys(next) as (keyof LineProps<R>)[]).some((name) => next[name] !== this.props[name])
  }

  override render() {
    const { row, columns, onOpen, id, at, rowClass, isChosen } = this.props
    if ('heading' in row)
      return (
        <tr role="row" aria-rowindex={at} data-row={id} class="heading">
          <th role="rowheader" scope="rowgroup" colSpan={columns.length}>
            <h3 class="sub">
              {row.heading} <span>{row.count}</span>
            </h3>
          </th>
        </tr>
      )
    return (
      <tr
        role="row"
        aria-rowindex={at}
        data-row={id}
        class={`${rowClass} ${onOpen === undefined ? '' : 'opens'} ${isChosen ? 'on' : ''}`}
        aria-current={isChosen ? 'true' : undefined}
        onClick={(event) => isFree(event) && onOpen?.(row)}
      >
        <Cells columns={columns} row={row} />
      </tr>
    )
  }
}

/** Which rows are shown, as the window stands. */
function useWindow<R extends object>({ rows, keyOf, chosen, more = false, onMore }: LongTableProps<R>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [place, setPlace] = useState<Place>({ from: 0, count: 40, height: 0 })
  const kept = useRef({ rows, more, onMore, place })
  kept.current = { rows, more, onMore, place }
  const look = (): void => {
    const now = kept.current
    const height = body.current?.querySelector<HTMLElement>('tr[data-row]')?.getBoundingClientRect().height ?? 0
    if (height === 0 || body.current === null) return
    const above = Math.floor(-body.current.getBoundingClientRect().top / height) - around
    const count = Math.min(mostRows, Math.ceil(innerHeight / height) + 2 * around + step)
    const from = Math.max(0, Math.min(Math.floor(above / step) * step, now.rows.length - count))
    if (now.more && from + count + ahead > now.rows.length) now.onMore?.()
    if (from !== now.place.from || count !== now.place.count || height !== now.place.height) setPlace({ from, count, height })
  }
  useLayoutEffect(look)
  useEffect(() => {
    // Whatever scrolls: the list, or on a telephone the page.
    document.addEventListener('scroll', look, { capture: true, passive: true })
    addEventListener('resize', look)
    return () => {
      document.removeEventListener('scroll', look, { capture: true })
      removeEventListener('resize', look)
    }
  }, [])
  useEffect(() => {
    // The keys may choose a row that is not in the document now.
    const at = chosen === undefined ? -1 : kept.current.rows.findIndex((row) => idOf(row, keyOf) === chosen)
    const here = kept.current.place
    if (at === -1 || here.height === 0 || (at >= here.from && at < here.from + here.count)) return
    const top = (body.current?.getBoundingClientRect().top ?? 0) + at * here.height
    scrollerOf(body.current)?.scrollBy(0, top - innerHeight / 2)
  }, [chosen])
  return { body, place }
}

/** One cell: more would be columns that a narrow window does not have. */
function Space({ rows, height }: { readonly rows: number; readonly height: number }) {
  if (rows === 0) return null
  return (
    <tr class="space" role="presentation" aria-hidden="true">
      <td role="presentation" style={{ height: `${rows * height}px` }} />
    </tr>
  )
}

/** A button or a link in the row does what it says, and who marks a text wants to copy it. */
function isFree({ target }: MouseEvent): boolean {
  return target instanceof Element && target.closest('a, button, input, select') === null && getSelection()?.isCollapsed !== false
}

function scrollerOf(element: HTMLElement | null): HTMLElement | null {
  for (let at = element?.parentElement ?? null; at !== null; at = at.parentElement)
    if (at.scrollHeight > at.clientHeight && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at
  return null
}
