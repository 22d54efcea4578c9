/** The search of the documentation, in the browser: the texts are fetched when somebody begins to search, and nothing leaves the machine. */
import MiniSearch from 'minisearch'

interface Entry {
  readonly id: number
  /** File and heading, from this script. */
  readonly href: string
  readonly title: string
  readonly heading: string
  readonly text: string
}

const here = (document.currentScript as HTMLScriptElement).src
const mostShown = 12
const shownAround = 90
const index = new MiniSearch<Entry>({
  fields: ['title', 'heading', 'text'],
  searchOptions: { boost: { title: 4, heading: 3 }, prefix: true, fuzzy: (term) => (term.length > 4 ? 0.2 : false), combineWith: 'AND' },
})
const entries = new Map<number, Entry>()

let asked: Promise<void> | undefined
const load = (): Promise<void> => (asked ??= fetched().catch((error: unknown) => ((asked = undefined), Promise.reject(error))))
async function fetched(): Promise<void> {
  const answer = await fetch(here.replace(/\.js$/, '.json'))
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
  for (const entry of (await answer.json()) as Entry[]) entries.set(entry.id, entry)
  await index.addAllAsync([...entries.values()])
}

/** What stands around the first of these words. */
function extract({ text }: Entry, terms: readonly string[]): string {
  const at = text.toLowerCase().search(new RegExp(terms.map((term) => term.replaceAll(/\W/g, '\\$&')).join('|'), 'u'))
  const from = Math.max(0, at - shownAround)
  return `${from > 0 ? '… ' : ''}${text.slice(from, from + 2 * shownAround).trim()}`
}

const field = document.querySelector<HTMLInputElement>('#words')!
const list = document.querySelector<HTMLOListElement>('#found')!
const count = document.querySelector<HTMLParagraphElement>('#count')!

function item(entry: Entry, terms: readonly string[]): HTMLLIElement {
  const [row, link, text] = [document.createElement('li'), document.createElement('a'), document.createElement('span')]
  link.href = new URL(entry.href, here).href
  link.textContent = entry.heading === '' || entry.heading === entry.title ? entry.title : `${entry.title}: ${entry.heading}`
  text.textContent = extract(entry, terms)
  row.append(link, text)
  return row
}

async function search(): Promise<void> {
  const words = field.value.trim()
  if (words === '') return show([], '')
  count.textContent = entries.size === 0 ? 'Loading' : count.textContent
  try {
    await load()
  } catch {
    return show([], 'The search is not there: the texts could not be loaded.')
  }
  if (words !== field.value.trim()) return
  const found = index.search(words)
  show(
    found.slice(0, mostShown).map(({ id, terms }) => item(entries.get(id as number)!, terms)),
    found.length === 0 ? 'Nothing was found.' : `${found.length} found`,
  )
}

function show(rows: readonly HTMLLIElement[], says: string): void {
  list.replaceChildren(...rows)
  count.textContent = says
}

// Addresses of operations from before there were pages around them.
if (location.hash.startsWith('#/')) location.replace(new URL(`api.html${location.hash}`, here))
field.closest('search')!.hidden = false
field.addEventListener('focus', () => void load().catch(() => undefined), { once: true })
field.addEventListener('input', () => void search())
document.addEventListener('keydown', (event) => {
  const writing = event.target instanceof HTMLInputElement
  if (event.key === '/' && !writing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault()
    field.focus()
  }
  if (event.key === 'Escape') {
    field.value = ''
    show([], '')
  }
  if (event.key === 'Enter' && writing) list.querySelector('a')?.click()
})
