/** What Pacemaker runs, on the one machine that has the disk: primary, file system, its folders, address, the box. */
import { machineAttributes } from '../../../daemon/pair/standing.ts'
import type { Pair } from '../../../daemon/schema/cluster.ts'
import { lookSeconds } from './machine-agent.ts'

/** Twice the time of the watchdog: by then a machine without a majority has reset itself. */
const stonithWatchdogSeconds = 6

export function pairCib(pair: Pair): string {
  const { address, interface: on, watchdog, fence } = pair
  const [own = '', bits = ''] = address.split('/')
  const properties = {
    'stonith-enabled': 'true',
    'no-quorum-policy': 'stop',
    ...(watchdog === undefined ? {} : { 'have-watchdog': 'true', 'stonith-watchdog-timeout': `${stonithWatchdogSeconds}s` }),
  }
  const mount = (id: string, device: string, directory: string, more: Attributes): string =>
    primitive(id, 'class="ocf" provider="heartbeat" type="Filesystem"', { device, directory, ...more })
  const bind = { fstype: 'none', options: 'bind' }
  return `<cib validate-with="pacemaker-3.7" epoch="1" num_updates="0" admin_epoch="0">
  <configuration>
    <crm_config>
      <cluster_property_set id="options">
${pairs('options', properties, 8)}
      </cluster_property_set>
    </crm_config>
    <nodes/>
    <resources>
${fence === undefined ? '' : pair.machines.map(({ name }) => fencing(fence, name)).join('\n')}
      <clone id="disk-both">
        <meta_attributes id="disk-both-meta">
${pairs('disk-both-meta', { promotable: 'true', 'promoted-max': '1', 'clone-max': '2', notify: 'true' }, 10)}
        </meta_attributes>
${disk}
      </clone>
      <clone id="machines">
${primitive('machine', 'class="ocf" provider="pbxd" type="machine"', {}, { every: lookSeconds })}
      </clone>
      <group id="box">
${[
  mount('files', '/dev/drbd0', '/var/lib/pbxd', { fstype: 'ext4' }),
  mount('settings', '/var/lib/pbxd/etc', '/etc/pbxd', bind),
  primitive('address', 'class="ocf" provider="heartbeat" type="IPaddr2"', { ip: own, cidr_netmask: bits, nic: on }),
  primitive('daemon', 'class="ocf" provider="pbxd" type="pbxd"', {}, { seconds: 100, meta: movesAtOnce }),
].join('\n')}
      </group>
    </resources>
    <constraints>
      <rsc_colocation id="box-with-disk" score="INFINITY" rsc="box" with-rsc="disk-both" with-rsc-role="Promoted"/>
${['box', 'disk-both'].map(whereFit).join('\n')}
      <rsc_order id="machines-first" kind="Mandatory" first="machines" then="box"/>
      <rsc_order id="disk-first" kind="Mandatory" first="disk-both" first-action="promote" then="box" then-action="start"/>
${fence === undefined ? '' : pair.machines.map(({ name }) => `      <rsc_location id="fence-${name}-elsewhere" rsc="fence-${name}" node="${name}" score="-INFINITY"/>`).join('\n')}
    </constraints>
    <rsc_defaults>
      <meta_attributes id="defaults">
${pairs('defaults', { 'resource-stickiness': '1000', 'migration-threshold': '3', 'failure-timeout': `${forgottenSeconds}s` }, 8)}
      </meta_attributes>
    </rsc_defaults>
  </configuration>
  <status/>
</cib>
`
}

const disk = `        <primitive id="disk" class="ocf" provider="linbit" type="drbd">
          <instance_attributes id="disk-values">
            <nvpair id="disk-values-resource" name="drbd_resource" value="pbxd"/>
          </instance_attributes>
          <operations>
            <op id="disk-promoted" name="monitor" interval="2s" role="Promoted" timeout="20s"/>
            <op id="disk-standby" name="monitor" interval="3s" role="Unpromoted" timeout="20s"/>
            <op id="disk-start" name="start" interval="0s" timeout="240s"/>
            <op id="disk-stop" name="stop" interval="0s" timeout="100s"/>
          </operations>
        </primitive>`

type Attributes = Readonly<Record<string, string>>

/**
 * systemd has started it three times by then, so the first failure that Pacemaker sees moves the box. It is forgotten when the box has moved
 * for sure; the agent forgets it sooner where the other machine fails, too.
 */
const movesAtOnce = { 'migration-threshold': '1', 'failure-timeout': '20s' }

/** A machine whose disk or address failed is tried again after this: where both fail, or the other is away, the pair never gives up. */
const forgottenSeconds = 60

interface How {
  readonly seconds?: number
  readonly every?: number
  readonly meta?: Attributes
}

function primitive(id: string, kind: string, attributes: Attributes, { seconds = 60, every = 2, meta = {} }: How = {}): string {
  const set = (name: string, of: string, values: Attributes): string =>
    Object.keys(values).length === 0
      ? ''
      : `\n          <${name} id="${id}-${of}">\n${pairs(`${id}-${of}`, values, 12)}\n          </${name}>`
  return `        <primitive id="${id}" ${kind}>${set('meta_attributes', 'meta', meta)}${set('instance_attributes', 'values', attributes)}
          <operations>
            <op id="${id}-monitor" name="monitor" interval="${every}s" timeout="20s"/>
            <op id="${id}-start" name="start" interval="0s" timeout="${seconds}s"/>
            <op id="${id}-stop" name="stop" interval="0s" timeout="${seconds}s"/>
          </operations>
        </primitive>`
}

/** Never on a machine whose version is older than the one that has written the store. */
function whereFit(resource: string): string {
  const id = `${resource}-fit`
  const role = resource === 'disk-both' ? ' role="Promoted"' : ''
  return `      <rsc_location id="${id}" rsc="${resource}">
        <rule id="${id}-rule" score="-INFINITY" boolean-op="or"${role}>
          <expression id="${id}-none" attribute="${machineAttributes.fit}" operation="not_defined"/>
          <expression id="${id}-not" attribute="${machineAttributes.fit}" operation="ne" value="1"/>
        </rule>
      </rsc_location>`
}

function fencing({ agent, options }: NonNullable<Pair['fence']>, name: string): string {
  const values = {
    pcmk_host_list: name,
    ...Object.fromEntries(Object.entries(options).map(([key, to]) => [key, to.replaceAll('%n', name)])),
  }
  return `      <primitive id="fence-${name}" class="stonith" type="${agent}">
        <instance_attributes id="fence-${name}-values">
${pairs(`fence-${name}-values`, values, 10)}
        </instance_attributes>
      </primitive>`
}

function pairs(id: string, attributes: Attributes, indent: number): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${' '.repeat(indent)}<nvpair id="${id}-${name}" name="${name}" value="${escaped(value)}"/>`)
    .join('\n')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
