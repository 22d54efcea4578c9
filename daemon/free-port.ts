/** For the embedded default only: moves a listener whose port is taken to a free one, and says so. */
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import type { Config } from './schema/config.ts'

const steps = 20

export async function freeListeners(config: Config): Promise<Config> {
  const http = await firstFree('HTTP', config.http.listen, [tcpFree])
  const sip = config.sip.udp === null ? null : await firstFree('SIP', config.sip.udp, [udpFree, tcpFree])
  return {
    ...config,
    http: { ...config.http, listen: http },
    sip: sip === null ? config.sip : { ...config.sip, udp: sip, tcp: config.sip.tcp === null ? null : sip },
  }
}

async function firstFree(
  name: string,
  listen: string,
  checks: readonly ((host: string, port: number) => Promise<boolean>)[],
): Promise<string> {
  const at = listen.lastIndexOf(':')
  const host = listen.slice(0, at)
  const wanted = Number(listen.slice(at + 1))
  for (let port = wanted; port < wanted + steps * 2; port += 2) {
    const free = await Promise.all(checks.map((check) => check(host, port)))
    if (!free.every(Boolean)) continue
    if (port !== wanted) process.stderr.write(`${name}: ${listen} is taken by another program; using ${host}:${port} instead\n`)
    return `${host}:${port}`
  }
  return listen
}

function tcpFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

function udpFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    socket.once('error', () => socket.close(() => resolve(false)))
    socket.bind({ address: host, port, exclusive: true }, () => socket.close(() => resolve(true)))
  })
}
