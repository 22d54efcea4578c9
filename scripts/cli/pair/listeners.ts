/** A box of a pair is reached, and speaks, at the pair's address alone: a Contact with the address of a machine would be nobody's after a switch. */
import { existsSync } from 'node:fs'
import { ConfigError, loadConfig, type ConfigFault } from '../../../daemon/config/load.ts'
import type { Pair } from '../../../daemon/schema/cluster.ts'
import { installedConfig } from '../client.ts'

/** Where the listeners of the configuration are not at the address of the pair, with its lines. No faults where there is no such file. */
export function listenerFaults({ address }: Pair, file: string | undefined): ConfigFault[] {
  const [own = ''] = address.split('/')
  const place = file ?? installedConfig
  if (file === undefined && !existsSync(place)) return []
  try {
    const { config, at } = loadConfig(place)
    const { udp, tcp, tls } = config.sip
    const listeners = { 'sip.udp': udp, 'sip.tcp': tcp, 'sip.tls': typeof tls === 'string' ? tls : (tls?.listen ?? 'off') } as const
    return Object.entries({ ...listeners, 'http.listen': config.http.listen }).flatMap(([key, value]) => {
      if (value === undefined || value === null || value === 'off' || hostOf(value) === own) return []
      return [at(key.split('.'), `${value} is not at the address of the pair: give ${own}:${value.split(':').at(-1)}`)]
    })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [...error.faults]
  }
}

const hostOf = (listener: string): string => listener.slice(0, listener.lastIndexOf(':'))
