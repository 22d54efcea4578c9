/** The doors of the box: the web port, and the technician's socket. Both serve the routes of the parts. */
import type { Assembly } from '../assembly.ts'
import type { Core } from '../core.ts'
import { servedRoutes } from '../description/served.ts'
import { namesOf } from './hosts.ts'
import type { PeopleDoor } from './people.ts'
import { Redirect } from './redirect.ts'
import { readSite } from './site.ts'
import type { SignatureOptions } from './signature.ts'
import { startHttp, type HttpServer } from './server.ts'
import { startSocket, type ControlSocket, peerReader } from './socket.ts'
import type { Config } from '../schema/config.ts'
import type { Sample } from '../base/metrics.ts'
import type { Part } from '../part.ts'
import type { Tokens } from '../tokens/tokens.ts'
import type { Reply, Route } from './route.ts'

// Lists that people read say up to where the live stream was when they were read: a page goes on from there, and misses nothing.

/** Up to where the live stream is, and that somebody was shown how things are. */
export interface LiveMark {
  readonly id: string
  shown(): void
}

/** The same route; of one that people read as JSON, with the header X-Live-Id. `live`: asked before the handler reads anything, and called when it has. */
export function withLiveId(route: Route, live: LiveMark): Route {
  const isList = route.method === 'GET' && route.people !== undefined && route.responses[200]?.schema !== undefined
  if (!isList || route.responses[200]?.contentType !== undefined) return route
  const marked = (reply: Reply, id: string): Reply => {
    live.shown()
    return reply.status === 200 && reply.body !== undefined ? { ...reply, headers: { ...reply.headers, 'X-Live-Id': id } } : reply
  }
  return {
    ...route,
    handle(context) {
      const { id } = live
      const reply = route.handle(context)
      return reply instanceof Promise ? reply.then((made) => marked(made, id)) : marked(reply, id)
    },
  }
}

export interface DoorsPartOptions {
  readonly assembly: Pick<Assembly, 'parts'>
  readonly tokens: Tokens
  /** Null where the console is off. */
  readonly people: PeopleDoor | null
  readonly live: LiveMark
  readonly certificate: {
    /** That of the box's authority, in PEM; null where it has none. */
    readonly authority: () => string | null
    onReplaced(reload: () => void): void
  }
}

export interface DoorsPart extends Part {
  /** Of the web port once it is open, such as `http://127.0.0.1:8080`. */
  readonly address: () => string | null
}

export function doorsPart(core: Core, options: DoorsPartOptions): DoorsPart {
  const { config, root, store, trail, clock, log, health, metrics } = core
  const { tokens, assembly, people, live, certificate } = options
  let http: HttpServer | null = null
  let redirect: Redirect | null = null
  let control: ControlSocket | null = null
  certificate.onReplaced(() => http?.reload())
  return {
    name: 'doors',
    address: () => (http === null ? null : `${config.http.tls ? 'https' : 'http'}://${http.address}:${http.port}`),
    figures: [
      {
        name: 'pbx_http_requests_total',
        help: 'Answered requests.',
        type: 'counter',
        read: () =>
          Array.from(http?.counts() ?? [], ({ operation, status, count }): Sample => [{ operation, status: String(status) }, count]),
      },
    ],
    sweeps: [{ what: 'answers to repeated requests', sweep: async () => http?.sweep() ?? 0 }],
    async start() {
      const { listen, tls, trustedProxies } = config.http
      const site = readSite(root)
      const routes = servedRoutes({ parts: assembly.parts, health, metrics, site }).map((route) => withLiveId(route, live))
      const served = { routes, tokens: tokens.all, tokenUsed: tokens.used, limits: config.limits, signature: signatureOf(config) }
      const reached = { names: namesOf([...config.http.names, config.provisioning.server ?? 'localhost']), trustedProxies }
      http ??= await startHttp({
        store,
        trail,
        log,
        clock,
        ...served,
        ...(people === null ? {} : { people }),
        ...reached,
        listen,
        ...(tls === undefined ? {} : { tls }),
      })
      redirect ??= new Redirect({
        http: config.http,
        names: reached.names,
        authority: certificate.authority,
        port: () => http?.port ?? 0,
        health,
        clock,
      })
      await redirect.start()
      const audited = { trail, peerOf: peerReader({ helper: core.programs.peer, log }) }
      control ??= await startSocket({ socket: config.control.socket, routes, audited, log, timeZone: config.site.timeZone })
    },
    async stop() {
      redirect?.stop()
      await http?.close()
      await control?.close()
    },
  }
}

function signatureOf({ crm: { secret, nextSecret = '', auth, allow } }: Config): SignatureOptions {
  const secrets = auth === 'bearer' ? [] : [secret, nextSecret].filter((one) => one !== '')
  return { secrets, withToken: auth === 'signed+bearer', allow }
}
