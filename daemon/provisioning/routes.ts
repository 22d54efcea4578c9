/** Phones that fetch their settings: for technicians, and what the phones themselves ask for. */
import { Type } from '@sinclair/typebox'
import {
  NewPhoneSchema,
  PhoneAwaitedSchema,
  PhoneCodeRequestSchema,
  PhoneSchema,
  PhoneSettingsSchema,
  PhonesSchema,
  type NewPhone,
  type PhoneAwaited,
  type PhoneSettings,
  type PhonesView,
  type PhoneView,
} from '../schema/phones.ts'
import { ApiError } from '../base/errors.ts'
import { isLoopback, isOfThisMachine } from '../http/address.ts'
import { AccessRefused } from '../http/auth.ts'
import { isOurs } from '../http/hosts.ts'
import { AnyQuery, defineRoute, type Principal, type Route, type RouteContext } from '../http/route.ts'

export interface PhoneServices {
  list(): PhonesView
  /** `alongside`, here and below, runs in the transaction. Rejects with ApiError extension_unknown, validation_failed, not_supported. */
  add(phone: NewPhone, alongside: (id: string) => void): Promise<PhoneAwaited>
  /** Rejects with ApiError not_found. */
  reopen(which: string, minutes: number, alongside: (id: string) => void): Promise<PhoneAwaited>
  remove(which: string, alongside: (id: string) => void): Promise<PhoneView>
  /** What an awaited phone scans. Throws ApiError not_found. */
  urlOf(which: string): string
  /** The settings that the phone would get. Throws ApiError not_found, not_supported. */
  settings(which: string): PhoneSettings
  /** Null for a `key` that opens nothing. Rejects with ApiError not_found, address_not_allowed, not_supported. */
  fetch(asked: {
    key: string
    file: string
    address: string
    local: boolean
    secure: boolean
    looks: boolean
    userAgent: string
    host: string
    proxied: boolean
  }): Promise<{ type: string; content: string } | null>
}

const technicians = { access: 'technician', people: ['technician'] } as const
const tag = 'Phones'
const which = Type.Object({ phone: Type.String({ description: 'Id, MAC address, or number of an extension that has one phone.' }) })
/** Of one address: a phone asks for a handful of files. */
const fetchesAMinute = 120

export function phoneRoutes(phones: PhoneServices): Route[] {
  return [...deskRoutes(phones), qrRoute(phones), ...fetchRoutes(phones)]
}

function deskRoutes(phones: PhoneServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/phones',
      ...technicians,
      operationId: 'listPhones',
      summary: 'Phones that fetch their settings, and strangers that asked for some',
      tag,
      responses: { 200: { description: 'In the order of their extensions.', schema: PhonesSchema } },
      handle: ({ token }) => ({ status: 200, body: shownTo(token, phones.list()) }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/phones',
      ...technicians,
      operationId: 'addPhone',
      deed: 'phone.add',
      summary: 'Await a new phone of an extension',
      tag,
      body: NewPhoneSchema,
      responses: { 200: { description: 'Its code and address.', schema: PhoneAwaitedSchema } },
      handle: async ({ body, deed }) => ({
        status: 200,
        body: await phones.add(body, (id) => deed.record(`${id} extension:${body.extension}`)),
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/phones/:phone/code',
      ...technicians,
      operationId: 'awaitPhone',
      deed: 'phone.code',
      summary: 'Await a phone again, with a new code',
      tag,
      params: which,
      body: PhoneCodeRequestSchema,
      bodyType: 'json-or-nothing',
      responses: { 200: { description: 'Its code and address.', schema: PhoneAwaitedSchema } },
      handle: async ({ params: { phone }, body, deed }) => ({
        status: 200,
        body: await phones.reopen(phone, body.minutes ?? 30, (id) => deed.record(id)),
      }),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/phones/:phone',
      ...technicians,
      operationId: 'removePhone',
      deed: 'phone.remove',
      summary: 'Give a phone no more settings; it keeps those that it has',
      tag,
      params: which,
      responses: { 200: { description: 'As it was.', schema: PhoneSchema } },
      handle: async ({ params: { phone }, deed }) => ({ status: 200, body: await phones.remove(phone, (id) => deed.record(id)) }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/phones/:phone/settings',
      access: 'technician',
      operationId: 'getPhoneSettings',
      deed: 'phone.settings',
      summary: 'The settings of a phone, with its password',
      tag,
      params: which,
      responses: { 200: { description: 'The file of its kind.', schema: PhoneSettingsSchema } },
      handle: ({ params: { phone }, deed }) => {
        const settings = phones.settings(phone)
        deed.about(settings.id)
        return { status: 200, body: settings }
      },
    }),
  ]
}

/** A page shows a password once, when the phone is awaited. */
function shownTo(token: Principal | null, all: PhonesView): PhonesView {
  return token?.person === undefined ? all : { ...all, phones: all.phones.map((phone) => ({ ...phone, adminPassword: '' })) }
}

function qrRoute(phones: PhoneServices): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/phones/:phone/qr.svg',
    ...technicians,
    operationId: 'getPhoneQr',
    deed: 'phone.qr',
    summary: 'The address that an awaited phone fetches its settings from, as a QR code',
    description: 'As long as the phone is awaited; once it has come, or after a restart of the daemon: 404.',
    tag,
    params: which,
    responses: { 200: { description: 'A picture (SVG).', contentType: 'image/svg+xml' } },
    handle: async ({ params: { phone }, deed }) => {
      const url = phones.urlOf(phone)
      const { renderSVG } = await import('uqr')
      deed.about(phone)
      return { status: 200, text: { type: 'image/svg+xml; charset=utf-8', content: renderSVG(url) } }
    },
  })
}

const provisioned = {
  access: 'public',
  anyHost: true,
  query: AnyQuery,
  tag,
  rate: { perMinute: () => fetchesAMinute },
  responses: { 200: { description: 'A file as phones of its kind read it.', contentType: 'text/plain' } },
} as const

/** The first to come gets the settings: that has to be the device, not a proxy. Throws ApiError address_not_allowed. */
function deviceOf({ client, headers }: Pick<RouteContext, 'client' | 'headers'>) {
  const { address, proxy, secure } = client
  const host = headers.get('host') ?? ''
  if (proxy === 'unknown' && isOfThisMachine(address))
    throw new ApiError('address_not_allowed', `This came through a proxy at ${address}, which http.trustedProxies does not name.`)
  if (proxy === 'silent')
    throw new ApiError('address_not_allowed', `The proxy at ${address} does not say whose request this is: it has to send X-Forwarded-For.`)
  // A page in a browser of this machine comes from here, too, by a name of its own.
  const local = proxy === 'none' && isLoopback(address) && isOurs(host, thisMachine)
  return { address, host, local, secure: secure !== false, proxied: proxy === 'named' }
}

const thisMachine: ReadonlySet<string> = new Set(['localhost'])

function fetchRoutes(phones: PhoneServices): Route[] {
  const fetch = async (key: string, file: string, context: Pick<RouteContext, 'client' | 'headers' | 'method'>) => {
    const { headers, method } = context
    const userAgent = headers.get('user-agent') ?? ''
    const text = await phones.fetch({ key, file, userAgent, looks: method === 'HEAD', ...deviceOf(context) })
    // A wrong code is counted as a wrong token is.
    if (text === null) throw new AccessRefused('phone', 'not_found', 'No phone is awaited here: "pbx phones" shows those that are.')
    return { status: 200, text, headers: { 'Cache-Control': 'no-store' } }
  }
  return [
    defineRoute({
      ...provisioned,
      method: 'GET',
      path: '/provision/:key',
      operationId: 'provisionPhone',
      summary: 'Settings for the phone with a code, token or MAC address',
      description:
        'For phones. Over TLS alone. The way in is a one-time code, or the MAC address while the phone is awaited; docs/provisioning.md.',
      params: Type.Object({ key: Type.String() }),
      handle: (context) => fetch(context.params.key, '', context),
    }),
    defineRoute({
      ...provisioned,
      method: 'GET',
      path: '/provision/:key/',
      operationId: 'provisionPhoneFolder',
      undescribed: true,
      summary: 'The same, where the phone was given an address with a slash at its end',
      params: Type.Object({ key: Type.String() }),
      handle: (context) => fetch(context.params.key, '', context),
    }),
    defineRoute({
      ...provisioned,
      method: 'GET',
      path: '/provision/:key/:file',
      operationId: 'provisionPhoneFile',
      summary: 'A file that a phone asks for below the address it was given',
      params: Type.Object({ key: Type.String(), file: Type.String() }),
      handle: (context) => fetch(context.params.key, context.params.file, context),
    }),
  ]
}
