/** The edge itself: its sound that is none, and its machines, of which a program dies. */
import { spawnSync } from 'node:child_process'
import { edge, until } from '../../../scripts/cluster/fleet.ts'
import { look } from '../../cluster/caller.ts'
import { pause } from '../../harness/waiting.ts'
import { Phone, type Stage } from './stage.ts'

const movedMs = 3000
const talkMs = 3000
/** One way. */
const packetsOfTalk = talkMs / 20

export async function edges(stage: Stage): Promise<void> {
  await silent(stage)
  for (const program of ['kamailio', 'haproxy'] as const) await dies(stage, program)
}

/** Datagrams that the machines of the edge got, sent and passed on. */
function datagrams(): number {
  const of = (name: string): number => {
    const { stdout } = spawnSync('ip', ['netns', 'exec', name, 'cat', '/proc/net/snmp'], { encoding: 'utf8' })
    const figure = (group: string, member: string): number => {
      const [names = [], values = []] = stdout.split('\n').flatMap((line) => (line.startsWith(`${group}: `) ? [line.split(' ')] : []))
      return Number(values[names.indexOf(member)] ?? 0)
    }
    return figure('Udp', 'InDatagrams') + figure('Udp', 'OutDatagrams') + figure('Udp', 'NoPorts') + figure('Ip', 'ForwDatagrams')
  }
  return of('e1') + of('e2')
}

async function silent(stage: Stage): Promise<void> {
  const phone = await Phone.at('10.211.0.41', '101')
  await phone.register()
  const talk = await stage.talk(phone)
  const [before, near, far] = [datagrams(), talk.near.received, talk.far.received]
  await pause(talkMs)
  const [atEdge, heard] = [datagrams() - before, [talk.near.received - near, talk.far.received - far]]
  look(
    'a talk of a phone with the provider is heard both ways, and none of its sound is at the edge',
    heard.every((packets) => packets > packetsOfTalk / 2) && atEdge < packetsOfTalk,
    `${heard.join(' and ')} packets in ${talkMs / 1000} s; ${atEdge} datagrams of any kind at both machines`,
  )
  look('its hang-up reaches the other side', await stage.ends(talk))
  phone.peer.close()
}

/** The machine lives, so its address has to be taken from it. */
async function dies(stage: Stage, program: 'kamailio' | 'haproxy'): Promise<void> {
  const { fleet, line } = stage
  const talk = await stage.caller.talkAt(stage.boxes[1])
  const first = fleet.holder()
  fleet.killProgram(first, program)
  const served = async (): Promise<boolean> =>
    (await line.ask('OPTIONS', `sip:${edge}`, { ms: 200 }))?.status === 200 &&
    (await fleet.api('GET', '/readyz').catch(() => null))?.status === 200
  const tookMs = Math.round(await until('the house is served', async () => fleet.holder() !== first && (await served()), 15_000))
  look(`${program} dies: the other machine serves within 3 s`, tookMs <= movedMs, `${tookMs} ms`)
  const after = await stage.caller.calls(6, 100)
  look(
    `${program} dies: calls come in by the other machine`,
    after.every(({ status }) => status === 200),
    after.map(({ status }) => status).join(),
  )
  talk.dialog.send('BYE')
  const ended = await talk.dialog.final('BYE', 4000).catch(() => null)
  look(`${program} dies: the end of an earlier talk reaches its box`, ended?.status === 200, ended?.status)
  for (const { dialog } of after) dialog.send('BYE')
  const second = fleet.holder()
  fleet.startProgram(first, program)
  await pause(2 * movedMs)
  look(`${program} is there again: the address stays`, fleet.holder() === second, fleet.holder())
}
