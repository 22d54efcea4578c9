/** How the two machines of a pair stand, from what Pacemaker says of them. */

export interface PairMachine {
  readonly name: string
  readonly role: 'active' | 'standby' | 'starting' | 'away' | 'unknown'
  /** '' where it has not said. */
  readonly version: string
  readonly files: string
  /** Its version reads the store. */
  readonly fit: boolean
}

export interface PairStanding {
  /** More than half of the votes are here. */
  readonly quorum: boolean
  readonly machines: readonly PairMachine[]
  /** What failed, in words. */
  readonly failures: readonly string[]
  /** null where nobody has asked. */
  readonly witness: boolean | null
}

/** Attributes of a machine, as its agent publishes them. */
export const machineAttributes = { fit: 'pbxd-fit', version: 'pbxd-version', files: 'pbxd-files', clock: 'pbxd-clock' } as const

/** The agent adds it to what crm_mon says: `<!-- witness Connected -->`. */
export const witnessMark = 'witness'

/** From the output of `crm_mon --one-shot --output-as=xml`. */
export function standingIn(xml: string): PairStanding {
  const daemon = /<resource id="daemon"[^]*?(?:\/>|<\/resource>)/.exec(xml)?.[0] ?? ''
  const serves = /role="Started"/.test(daemon) && !/failed="true"/.test(daemon)
  const on = /<node name="([^"]+)"/.exec(daemon)?.[1] ?? ''
  const nodes = /<nodes>([^]*?)<\/nodes>/.exec(xml)?.[1] ?? ''
  const said = /<node_attributes>([^]*?)<\/node_attributes>/.exec(xml)?.[1] ?? ''
  const machines = [...nodes.matchAll(/<node name="([^"]+)"[^>]*>/g)].map(([text, name = '']): PairMachine => {
    const own = new RegExp(`<node name="${name.replaceAll('.', '\\.')}">([^]*?)</node>`).exec(said)?.[1] ?? ''
    const value = (attribute: string): string => new RegExp(`name="${attribute}" value="([^"]*)"`).exec(own)?.[1] ?? ''
    const { version, files, fit } = machineAttributes
    return { name, role: roleOf(text, name === on, serves), version: value(version), files: value(files), fit: value(fit) === '1' }
  })
  const witness = new RegExp(`<!-- ${witnessMark} (.*) -->`).exec(xml)?.[1]
  return {
    quorum: /<current_dc[^>]*with_quorum="true"/.test(xml),
    machines,
    failures: [...xml.matchAll(/<failure [^>]*op_key="([^"]*)"[^>]*node="([^"]*)"[^>]*exitstatus="([^"]*)"/g)].map(
      ([, operation = '', node = '', how = '']) => `${operation.replace(/_(\w+)_\d+$/, ' $1')} on ${node}: ${how}`,
    ),
    witness: witness === undefined ? null : witness === 'Connected',
  }
}

function roleOf(node: string, hasDaemon: boolean, serves: boolean): PairMachine['role'] {
  if (/unclean="true"/.test(node)) return 'unknown'
  if (!/online="true"/.test(node)) return 'away'
  if (!hasDaemon) return 'standby'
  return serves ? 'active' : 'starting'
}
