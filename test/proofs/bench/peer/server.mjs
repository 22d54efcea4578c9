/**
 * What the messaging measurements are compared with: the same two routes on Fastify and better-sqlite3 (WAL, synchronous=FULL).
 * Arguments: directory, token, items in the inbox, the file of the package smpp and the port of an SMPP service; without the last two
 * a text is only stored. Prints its port.
 */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { createRequire } from 'node:module'
import Database from 'better-sqlite3'
import Fastify from 'fastify'

const [dir, token, items, smppFile, smppPort] = process.argv.slice(2)
const database = new Database(`${dir}/peer.db`)
database.pragma('journal_mode = WAL')
database.pragma('synchronous = FULL')
database.exec(`
  CREATE TABLE inbox (seq INTEGER PRIMARY KEY, id TEXT, sender TEXT, recipient TEXT, received_at INTEGER, body TEXT, segments INTEGER,
    encoding TEXT, trunk TEXT, keyword TEXT);
  CREATE TABLE texts (id TEXT PRIMARY KEY, recipient TEXT, body TEXT, segments INTEGER, encoding TEXT, state TEXT, reference TEXT,
    created_at INTEGER, sent_at INTEGER);
`)

const firstSeq = 1_772_460_311_000
const addItem = database.prepare('INSERT INTO inbox VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
database.transaction(() => {
  for (let n = 0; n < Number(items); n++) {
    const at = firstSeq + n
    addItem.run(at, randomUUID(), '+15551230001', '+15550001999', at, `Can I come at ten? ${n}`, 1, 'GSM-7', 'main', null)
  }
})()

const digest = createHash('sha256').update(token).digest()
const app = Fastify({ logger: false, ajv: { customOptions: { coerceTypes: true } } })
app.addHook('onRequest', async (request, reply) => {
  const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  if (!timingSafeEqual(createHash('sha256').update(given).digest(), digest)) return reply.code(401).send({ error: 'A token is required.' })
})

const text = { type: 'string' }
const whole = { type: 'integer' }
const item = {
  type: 'object',
  properties: {
    id: text,
    from: text,
    to: text,
    receivedAt: text,
    body: text,
    mediaUrl: { type: 'null' },
    segments: whole,
    encoding: text,
    trunkId: text,
    keyword: text,
  },
}
const page = database.prepare('SELECT * FROM inbox WHERE seq > ? ORDER BY seq LIMIT ?')
const head = database.prepare('SELECT max(seq) FROM inbox').pluck()

app.get(
  '/api/inbox/sms',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: { since: { type: 'integer', minimum: 0, default: 0 }, limit: { type: 'integer', minimum: 1, default: 50 } },
      },
      response: { 200: { type: 'object', properties: { items: { type: 'array', items: item }, nextSince: whole } } },
    },
  },
  (request, reply) => {
    const { since, limit } = request.query
    const rows = page.all(since, Math.min(limit, 500))
    reply.send({
      items: rows.map((row) => ({
        id: row.id,
        from: row.sender,
        to: row.recipient,
        receivedAt: new Date(row.received_at).toISOString(),
        body: row.body,
        mediaUrl: null,
        segments: row.segments,
        encoding: row.encoding,
        trunkId: row.trunk,
        ...(row.keyword === null ? {} : { keyword: row.keyword }),
      })),
      nextSince: rows.length === limit ? rows.at(-1).seq : Math.max(since, head.get() ?? 0),
    })
  },
)

const addText = database.prepare('INSERT INTO texts VALUES (?, ?, ?, 1, ?, ?, NULL, ?, NULL)')
const accept = database.transaction((rows) => {
  for (const { id, to, body } of rows) addText.run(id, to, body, 'GSM-7', 'sending', Date.now())
})
const setSent = database.prepare('UPDATE texts SET state = ?, reference = ?, sent_at = ? WHERE id = ?')
const sent = database.transaction((rows, references) => {
  for (const [n, { id }] of rows.entries()) setSent.run('sent', references[n], Date.now(), id)
})
const session = smppPort === undefined ? null : await bind()

app.post(
  '/api/sms',
  {
    schema: {
      body: {
        type: 'object',
        required: ['to'],
        properties: {
          to: {
            anyOf: [
              { type: 'string', maxLength: 10_000 },
              { type: 'array', maxItems: 1000, items: text },
            ],
          },
          message: text,
          text,
        },
      },
    },
  },
  async (request) => {
    const { to, message, text: other } = request.body
    const body = message ?? other ?? ''
    const numbers = [...new Set((Array.isArray(to) ? to : to.split(/[,;]/)).map((number) => number.replaceAll(/[^\d+]/g, '')))]
    const rows = numbers.map((number) => ({ id: randomUUID(), to: number, body }))
    accept(rows)
    if (session !== null) sent(rows, await Promise.all(rows.map(submit)))
    const status = session === null ? 'queued' : 'accepted'
    return {
      sent: session === null ? 0 : rows.length,
      recipients: rows.length,
      queued: session === null ? rows.length : 0,
      failed: 0,
      messages: rows.map((row) => ({ messageId: row.id, to: row.to, status, segments: 1, encoding: 'GSM-7' })),
    }
  },
)

function bind() {
  const open = createRequire(import.meta.url)(smppFile).connect({ url: `smpp://127.0.0.1:${smppPort}` })
  return new Promise((resolve) => open.on('connect', () => open.bind_transceiver({ system_id: 'clinic' }, () => resolve(open))))
}

function submit({ to, body }) {
  const fields = { source_addr: '15550002000', destination_addr: to.replace('+', ''), short_message: body, registered_delivery: 1 }
  return new Promise((resolve, reject) =>
    session.submit_sm(fields, (answer) => (answer.command_status === 0 ? resolve(answer.message_id) : reject(new Error('refused')))),
  )
}

await app.listen({ host: '127.0.0.1', port: 0 })
console.log(app.server.address().port)
