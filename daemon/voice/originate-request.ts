/** Turns a request to place a call into the row of that call, or says what is wrong with it. */
import { derived } from '../base/derived.ts'
import { chooseTrunk } from '../routing/trunks.ts'
import { newCallRow } from '../calls/new-call.ts'
import { ApiError, type ErrorCode } from '../base/errors.ts'
import { normaliseNumber } from '../numbers/numbers.ts'
import { checkUrl, type AddressPolicy } from '../outbox/address.ts'
import { createReach } from '../numbers/reach.ts'
import type { Config } from '../schema/config.ts'
import type { OriginateRequest } from '../schema/voice-api.ts'
import type { CallRow, CallSource } from '../store/tables.ts'
import { endpointOf, endpointServing } from './applications.ts'
import { parseDocument } from './document.ts'
import { callLines } from '../schema/call-lines.ts'

function refuse(code: ErrorCode, path: string, message: string): never {
  throw new ApiError(code, message, { details: [{ path, message }] })
}

export interface OriginatePolicies {
  /** For URLs of control documents. */
  readonly control: AddressPolicy
  /** For status callbacks. */
  readonly callback: AddressPolicy
}

/** Takes a warning for the client about a call that is placed all the same. `path`: JSON pointer into the request, or ''. */
type Warn = (path: string, message: string) => void

/** Throws ApiError. */
export function originateRow(
  config: Config,
  policies: OriginatePolicies,
  request: OriginateRequest,
  now: number,
  warn: Warn = () => undefined,
): CallRow {
  if (request.machineDetection !== undefined && request.machineDetection !== 'off') {
    refuse('not_supported', '/machineDetection', 'machineDetection is not supported by this version; leave it out or write "off"')
  }
  if (request.params !== undefined && Buffer.byteLength(JSON.stringify(request.params)) > 4096)
    refuse('validation_failed', '/params', 'params may have at most 4 KiB as JSON')
  const row = newCallRow(now, 'outbound')
  const number = normaliseNumber(request.to, config.site.country, extensionsOf(config))
  if (number.kind === 'invalid') refuse('number_invalid', '/to', number.warning ?? 'this is not a telephone number')
  const { source, endpointId } = readSource(config, policies, request, warn)
  row.source = source
  row.endpointId = endpointId
  row.to = number.kind === 'e164' ? number.e164! : number.dial
  row.callerName = request.callerName ?? config.site.name
  if (number.kind === 'extension') {
    row.extension = number.dial
    row.from = request.from ?? config.site.number ?? ''
  } else {
    const { allowed, reason, warning } = createReach(config).mayReach(number, 'call')
    if (!allowed) refuse('destination_denied', '/to', reason)
    if (warning !== '') warn('', warning)
    setTrunk(config, row, request)
  }
  row.timeoutSeconds = request.timeout ?? 30
  row.maxSeconds = request.maxDuration ?? 3600
  if (request.externalRef !== undefined) row.externalRef = request.externalRef
  if (request.params !== undefined) row.params = request.params
  setStatusCallback(config, policies, row, request)
  return row
}

const extensions = new WeakMap<Config, () => ReadonlySet<string>>()

/** Numbers of the desk phones. */
function extensionsOf(config: Config): ReadonlySet<string> {
  let numbers = extensions.get(config)
  if (numbers === undefined) {
    numbers = derived(config, () => new Set(config.extensions.map(({ number }) => number)))
    extensions.set(config, numbers)
  }
  return numbers()
}

function setTrunk(config: Config, row: CallRow, request: OriginateRequest): void {
  if (callLines(config).length === 0) throw new ApiError('no_trunk', 'No trunk is configured: calls to the outside cannot be placed')
  const from = request.from === undefined ? undefined : (normaliseNumber(request.from, config.site.country).e164 ?? request.from)
  if (request.trunkId !== undefined && !callLines(config).some((trunk) => trunk.id === request.trunkId)) {
    refuse('validation_failed', '/trunkId', `there is no trunk "${request.trunkId}"`)
  }
  const trunk = chooseTrunk(config, request.trunkId, from)
  if (trunk === undefined || (from !== undefined && !trunk.numbers.includes(from))) {
    refuse(
      'validation_failed',
      '/from',
      `${request.from} is not a number of ${request.trunkId === undefined ? 'any trunk' : `the trunk ${request.trunkId}`}`,
    )
  }
  row.trunkId = trunk.id
  row.from = from ?? trunk.numbers[0] ?? config.site.number ?? ''
}

function readSource(
  config: Config,
  policies: OriginatePolicies,
  request: OriginateRequest,
  warn: Warn,
): { source: CallSource; endpointId: string } {
  const url = request.controlUrl ?? request.url ?? request.actionUrl
  const given = Number(url !== undefined) + Number(request.endpoint !== undefined) + Number(request.document !== undefined)
  if (given !== 1) refuse('validation_failed', '', 'give exactly one of controlUrl, endpoint and document')
  if (request.endpoint !== undefined) {
    const endpoint = endpointOf(config, request.endpoint)
    if (endpoint === undefined) refuse('validation_failed', '/endpoint', `there is no voice endpoint "${request.endpoint}"`)
    return { source: { kind: 'endpoint', id: endpoint.id }, endpointId: endpoint.id }
  }
  if (url !== undefined) {
    const member = request.controlUrl !== undefined ? '/controlUrl' : request.url !== undefined ? '/url' : '/actionUrl'
    const checked = checkUrl(url, policies.control)
    if (!checked.ok) refuse('validation_failed', member, checked.reason)
    return { source: { kind: 'url', url }, endpointId: endpointServing(config, url)?.id ?? '' }
  }
  return { source: { kind: 'document', document: readDocument(request.document ?? [], warn) }, endpointId: '' }
}

/** An inline document has no URL of its own, so a gather or record in it must name the one that gets its result. */
function readDocument(document: unknown[], warn: Warn): unknown[] {
  const parsed = parseDocument(document, { destinations: new Set() })
  const errors = parsed.ok
    ? parsed.verbs.flatMap((verb, index) =>
        (verb.name === 'gather' || verb.name === 'record') && verb.params.actionUrl === undefined
          ? [{ path: `/${index}/${verb.name}/actionUrl`, message: `${verb.name} in an inline document needs actionUrl` }]
          : [],
      )
    : parsed.errors
  if (errors.length > 0) {
    throw new ApiError('validation_failed', 'The document cannot run', {
      details: errors.slice(0, 20).map(({ path, message }) => ({ path: `/document${path}`, message })),
    })
  }
  for (const { path, message } of parsed.warnings) warn(`/document${path}`, message)
  return document
}

function setStatusCallback(config: Config, policies: OriginatePolicies, row: CallRow, request: OriginateRequest): void {
  const endpoint = endpointOf(config, row.endpointId)
  if (request.statusCallbackUrl !== undefined) {
    const checked = checkUrl(request.statusCallbackUrl, policies.callback)
    if (!checked.ok) refuse('validation_failed', '/statusCallbackUrl', checked.reason)
  }
  row.statusCallbackUrl = request.statusCallbackUrl ?? endpoint?.statusCallbackUrl ?? ''
  row.statusEvents = request.statusEvents ?? (endpoint === undefined ? ['ended'] : [...endpoint.statusEvents])
}
