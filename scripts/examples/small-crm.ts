/**
 * A small CRM with a screen pop: customers in a file, a page that shows who calls while the phone rings, and a line in the customer's history
 * for each call that has ended. No packages but pbxd.
 *   TOKEN=... PBX=http://127.0.0.1:8080 CUSTOMERS=customers.json node scripts/examples/small-crm.ts     # then http://127.0.0.1:3001
 * customers.json: [{"id":"c1","name":"Ana Ruiz","phones":["+15551230001"],"note":"Allergic to penicillin","history":[]}]
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { box, BoxError, type CallEventData } from 'pbxd'

const { PORT = '3001', PBX = 'http://127.0.0.1:8080', TOKEN = '', CUSTOMERS = 'customers.json', EXTENSION } = process.env
const house = box({ url: PBX, token: TOKEN })

interface Customer {
  readonly id: string
  readonly name: string
  readonly phones: readonly string[]
  readonly note?: string
  history: { readonly callId: string; readonly text: string }[]
}

const read = (): Customer[] => JSON.parse(readFileSync(CUSTOMERS, 'utf8')) as Customer[]

function keep(customers: Customer[]): void {
  writeFileSync(`${CUSTOMERS}.new`, JSON.stringify(customers, null, 2), { flush: true })
  renameSync(`${CUSTOMERS}.new`, CUSTOMERS)
}

/** Gives the customers to the box, so that phones show their names and calls carry their ids. Done again at each start: it replaces them. */
async function publish(): Promise<void> {
  const customers = read().map(({ id, name, phones }) => ({ id, name, phones: phones.map((number) => ({ number, label: 'mobile' })) }))
  const { created, updated, errors } = await house.importParties({ customers })
  console.log(`customers: ${created} new, ${updated} changed`, ...errors)
}

/** Pages that are open; each gets what happens as server-sent events. */
const pages = new Set<ServerResponse>()
const show = (card: object): void => {
  for (const page of pages) page.write(`data: ${JSON.stringify(card)}\n\n`)
}

function customerOf({ call }: CallEventData, all = read()): Customer | undefined {
  const number = call.direction === 'inbound' ? call.from : call.to
  return all.find(({ id, phones }) => id === call.customerId || phones.includes(number))
}

/** The card while it rings: what this program knows, and the last lines of the history. */
function pop(data: CallEventData): void {
  const customer = customerOf(data)
  const { callId, from } = data.call
  const known = { name: customer?.name ?? 'Unknown', note: customer?.note ?? '', history: customer?.history.slice(-3) ?? [] }
  show({ state: 'ringing', callId, from, extensions: data.extensions, ...known })
}

/** Writes the call into the history, once: a reader that returns may see an event again. */
function file(data: CallEventData): void {
  const { callId, startedAt, outcome, talkSeconds } = data.call
  const all = read()
  const customer = customerOf(data, all)
  show({ state: 'ended', callId })
  if (customer === undefined || customer.history.some((one) => one.callId === callId)) return
  customer.history.push({ callId, text: `${startedAt}: ${outcome}, ${talkSeconds} s` })
  keep(all)
  console.log(`filed a call of ${customer.name}`)
}

/** Calls that ended while this program was off are in the history of the box. */
async function catchUp(): Promise<void> {
  const { items } = await house.listCallHistory({ limit: 100 })
  for (const call of items) if (call.endedAt !== null) file({ call, extensions: [] })
}

async function follow(): Promise<void> {
  // The connection comes back by itself, after the last event that was seen.
  for await (const { event, data } of house.streamCallEvents(EXTENSION === undefined ? {} : { extension: EXTENSION })) {
    if (event === 'call.ringing' || event === 'call.card') pop(data as CallEventData)
    if (event === 'call.ended') file(data as CallEventData)
    if (event === 'stream.gap') await catchUp()
  }
}

const html = `<!doctype html><meta charset="utf-8"><title>Calls</title><h1>Calls</h1><ul id="calls"></ul><script>
const list = document.getElementById('calls')
new EventSource('/events').onmessage = ({ data }) => {
  const card = JSON.parse(data)
  document.getElementById(card.callId)?.remove()
  if (card.state === 'ended') return
  const item = document.createElement('li')
  item.id = card.callId
  // textContent: a name of a caller is text, whatever it holds.
  item.textContent = [card.name, card.from, card.note, ...card.history.map(({ text }) => text)].filter(Boolean).join(' - ')
  list.prepend(item)
}</script>`

createServer((request, response) => {
  if (request.url !== '/events') return response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html)
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }).write(': ready\n\n')
  pages.add(response)
  return response.once('close', () => pages.delete(response))
}).listen(Number(PORT), '127.0.0.1')

try {
  await publish()
  await catchUp()
  await follow()
} catch (error) {
  console.error(error instanceof BoxError ? `The box refused: ${error.message} (${error.code})` : error)
  process.exit(1)
}
