/** A table with a caption for assistive technology, and rows of which one may be open. On a telephone each row is a card. */
import type { ComponentChildren } from 'preact'
import { figure } from '../frame/words.ts'

export interface Column<R> {
  readonly head: string
  readonly cell: (row: R) => ComponentChildren
  readonly class?: string
  /** The cell names the row. */
  readonly isHead?: boolean
}

export interface TableProps<R> {
  readonly caption: string
  readonly columns: readonly Column<R>[]
  readonly rows: readonly R[]
  readonly keyOf: (row: R) => string
  /** Of the row that is open. */
  readonly chosen?: string | undefined
}

export function Table<R>({ caption, columns, rows, keyOf, chosen }: TableProps<R>) {
  return (
    <div class="scrolls" role="region" aria-label={caption} tabIndex={0}>
      <table role="table">
        <caption class="vh">{caption}</caption>
        <Heads columns={columns} />
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row" class={keyOf(row) === chosen ? 'on' : ''}>
              <Cells columns={columns} row={row} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The roles are written out, as a card of a telephone is no table by its style. */
export function Heads<R>({ columns }: Pick<TableProps<R>, 'columns'>) {
  return (
    <thead role="rowgroup">
      <tr role="row" aria-rowindex={1}>
        {columns.map(({ head, class: kind = '' }) => (
          <th key={head} role="columnheader" scope="col" class={kind}>
            {head}
          </th>
        ))}
      </tr>
    </thead>
  )
}

const shown = (content: ComponentChildren): ComponentChildren => (typeof content === 'number' ? figure(content) : content)

export function Cells<R>({ columns, row }: Pick<TableProps<R>, 'columns'> & { readonly row: R }) {
  return (
    <>
      {columns.map(({ head, cell, class: kind = '', isHead = false }) =>
        isHead ? (
          <th key={head} role="rowheader" scope="row" class={kind}>
            {shown(cell(row))}
          </th>
        ) : (
          <td key={head} role="cell" class={kind} data-head={head}>
            {shown(cell(row))}
          </td>
        ),
      )}
    </>
  )
}
