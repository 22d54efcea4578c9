/** The doors of the box: the web port, and the technician's socket. Both serve the routes of the parts. */
import type { Core } from '../core.ts'
import type { Eraser } from '../erasure/erasure.ts'
import { openApiDocument, socketDocument } from '../description/openapi.ts'
import { namesOf } from '../http/hosts.ts'
import { peerReader } from '../http/peer.ts'
import { docsRoutes } from '../http/docs-routes.ts'
import { frontPageRoutes } from '../http/front-page-routes.ts'
import { healthRoutes } from '../http/health-routes.ts'
import { metricsRoutes } from '../http/metrics-routes.ts'
import { storedRoutes } from '../erasure/routes.ts'
import type { SignatureOptions } from '../http/signature.ts'
import { startHttp, type HttpServer } from '../http/server.ts'
import { startSocket, type ControlSocket } from '../http/socket.ts'
import type { Config } from '../schema/config.ts'
import type { Sample } from '../base/metrics.ts'
import type { Part } from '../part.ts'
import type { Tokens } from '../tokens/tokens.ts'

export interface DoorsPartOptions {
  /** All of them. */
  readonly parts: () => readonly Part[]
  readonly tokens: Tokens
}

export interface DoorsPart extends Part {
  /** Of the web port once it is open, such as `http://127.0.0.1:8080`. */
  address(): string | null
}

export function doorsPart(core: Core, options: DoorsPartOptions): DoorsPart {
  const { config, trail, log } = core
  const { tokens, parts } = options
  let http: HttpServer | null = null
  let control: ControlSocket | null = null
  const routes = () => {
    const all = parts().flatMap((part) => part.routes ?? [])
    all.push(...storedRoutes(erasersOf(parts())), ...frontPageRoutes(core), ...healthRoutes(core), ...metricsRoutes(core))
    all.push(...docsRoutes({ web: (now) => openApiDocument(all, now), socket: () => socketDocument(all) }))
    return all
  }
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
      const all = routes()
      const served = { routes: all, tokens: tokens.all, tokenUsed: tokens.used, limits: config.limits, signature: signatureOf(config) }
      const reached = { names: namesOf([...config.http.names, config.provisioning.server ?? 'localhost']), trustedProxies }
      http ??= await startHttp({ ...core, ...served, ...reached, listen, ...(tls === undefined ? {} : { tls }) })
      const audited = { trail, peerOf: peerReader({ helper: core.programs.peer, log }) }
      control ??= await startSocket({ socket: config.control.socket, routes: all, audited, log, timeZone: config.site.timeZone })
    },
    async stop() {
      await http?.close()
      await control?.close()
    },
  }
}

function signatureOf({ crm: { secret, nextSecret = '', auth, allow } }: Config): SignatureOptions {
  const secrets = auth === 'bearer' ? [] : [secret, nextSecret].filter((one) => one !== '')
  return { secrets, withToken: auth === 'signed+bearer', allow }
}

function erasersOf(all: readonly Part[]): Readonly<Record<string, Eraser>> {
  return Object.assign({}, ...all.map((part) => part.erasers ?? {})) as Record<string, Eraser>
}
