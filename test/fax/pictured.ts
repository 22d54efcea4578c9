/** A box whose faxes people and programs look at: its routes on a real port, with the roles of people. */
import { join } from 'node:path'
import { PDFDocument, StandardFonts } from 'pdf-lib'
import type { Test } from 'tap'
import { eraseFax } from '../../daemon/fax/part.ts'
import { faxPictureRoutes } from '../../daemon/fax/picture-routes.ts'
import { faxRoutes } from '../../daemon/fax/routes.ts'
import { inboxRoutes } from '../../daemon/inbox/routes.ts'
import { eraseItem } from '../../daemon/inbox/part.ts'
import { Trail } from '../../daemon/audit/trail.ts'
import { accessTokens } from '../../daemon/http/auth.ts'
import type { PersonAtDoor } from '../../daemon/http/route.ts'
import { startHttp } from '../../daemon/http/server.ts'
import type { Role } from '../../daemon/schema/people.ts'
import { limits, tokenRow } from '../http/serve.ts'
import { log, Stage } from './stage.ts'

const token = 'the-token'
const person = (login: string, roles: readonly Role[]): PersonAtDoor =>
  ({
    personId: login,
    sessionId: login,
    login,
    name: login,
    roles,
    extension: null,
    mailboxes: [],
    queues: [],
    locked: false,
    needsSecondStep: false,
    now: () => undefined,
  }) as PersonAtDoor
const people: Readonly<Record<string, PersonAtDoor>> = {
  maria: person('maria', ['desk']),
  mona: person('mona', ['manager']),
  tom: person('tom', ['technician']),
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  readonly body: any
}

type Ask = (
  method: string,
  path: string,
  options?: { json?: unknown; pdf?: Uint8Array; as?: keyof typeof people; headers?: Record<string, string> },
) => Promise<Answer>

export async function served(t: Test): Promise<{ stage: Stage; ask: Ask; trail: Trail }> {
  const stage = await Stage.open(t)
  const { fax, inbox, store, clock } = stage
  const hasLine = (): boolean => fax.hasLine()
  const trail = new Trail({ store, clock, log })
  t.teardown(() => trail.stop())
  const http = await startHttp({
    listen: '127.0.0.1:0',
    routes: [
      ...faxRoutes({ queue: fax.queue, desk: fax.desk, hasLine }, eraseFax(store, fax)),
      ...faxPictureRoutes({ queue: fax.queue, desk: fax.desk, sheets: fax.sheets, hasLine }),
      ...inboxRoutes(
        inbox,
        eraseItem(store, inbox, () => undefined),
      ),
    ],
    tokens: accessTokens([tokenRow('all', token, ['send', 'inbox'])], store.tables.tokens),
    people: { person: (cookie) => people[cookie] },
    ...{ limits, store, trail, log, clock },
  })
  t.teardown(() => http.close(500))
  const ask: Ask = async (method, path, { json, pdf, as, headers = {} } = {}) => {
    const who = as === undefined ? { authorization: `Bearer ${token}` } : { cookie: `pbx=${as}`, 'sec-fetch-site': 'same-origin' }
    const type =
      json === undefined ? (pdf === undefined ? {} : { 'content-type': 'application/pdf' }) : { 'content-type': 'application/json' }
    const body = json === undefined ? pdf : JSON.stringify(json)
    const answer = await fetch(`http://127.0.0.1:${http.port}${path}`, {
      method,
      headers: { ...who, ...type, ...headers } as Record<string, string>,
      ...(body === undefined ? {} : { body }),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const isJson = answer.headers.get('content-type')?.includes('json') === true
    return { status: answer.status, headers: answer.headers, bytes, body: isJson ? (JSON.parse(bytes.toString()) as unknown) : undefined }
  }
  return { stage, ask, trail }
}

/** Where a preview has its pages. */
export const pagesOf = (stage: Stage, previewId: string): string =>
  join(stage.config.storage.dir, 'cache', 'fax-previews', previewId, 'fine.tif')

export async function letter(pages = 1): Promise<Buffer> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  for (let page = 1; page <= pages; page++)
    document.addPage([595, 842]).drawText(`Page ${page} of the referral`, { x: 50, y: 700, size: 30, font })
  return Buffer.from(await document.save())
}
