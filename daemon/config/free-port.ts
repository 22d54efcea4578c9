/** For the embedded default only: moves a listener whose port is taken to a free one, and says so. */
import { bindFault } from '../base/bindable.ts'
import type { Config } from '../schema/config.ts'

const steps = 20

export async function freeListeners(config: Config): Promise<Config> {
  const http = await firstFree('HTTP', config.http.listen, ['tcp'])
  const sip = config.sip.udp === null ? null : await firstFree('SIP', config.sip.udp, ['udp', 'tcp'])
  return {
    ...config,
    http: { ...config.http, listen: http },
    sip: sip === null ? config.sip : { ...config.sip, udp: sip, tcp: config.sip.tcp === null ? null : sip },
  }
}

async function firstFree(name: string, listen: string, protocols: readonly ('tcp' | 'udp')[]): Promise<string> {
  const at = listen.lastIndexOf(':')
  const host = listen.slice(0, at)
  const wanted = Number(listen.slice(at + 1))
  for (let port = wanted; port < wanted + steps * 2; port += 2) {
    const faults = await Promise.all(protocols.map((protocol) => bindFault(protocol, host, port)))
    if (faults.some((fault) => fault !== '')) continue
    if (port !== wanted) process.stderr.write(`${name}: ${listen} is used by another program; using ${host}:${port} instead\n`)
    return `${host}:${port}`
  }
  return listen
}
