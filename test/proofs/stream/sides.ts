/** What calls the peers: the box, over SIP and RTP, or a stand-in that speaks the frames and nothing else. */
import { linearToUlaw, ulawToLinear } from '../../harness/audio.ts'
import { freePort, secret } from '../../harness/daemon.ts'
import type { RtpPhone } from '../../harness/phone.ts'
import { Scene, eventually } from '../../harness/scene.ts'
import { StandIn } from '../../harness/streams/stand-in.ts'

export interface Caller {
  /** What the telephone heard so far, mu-law. */
  heard(): Buffer
  /** The call or its stream has ended. */
  over(): boolean
  hangUp(): Promise<void>
  press(key: string): Promise<void>
  /** Ends the call as Twilio's REST interface does, where there is one; answers statuses of two such requests and the code of the second. */
  hangUpByRest?(ids: { readonly accountSid: string; readonly callSid: string }): Promise<string>
}

export interface Side {
  readonly name: 'stand-in' | 'box'
  /** Where the server has to listen, one after the other; 0: anywhere. */
  readonly port: number
  /** A call whose stream goes to this address; `says` is mu-law. */
  call(url: string, says: Uint8Array): Promise<Caller>
  close(): Promise<void>
}

export function standInSide(): Side {
  const open: StandIn[] = []
  return {
    name: 'stand-in',
    port: 0,
    call: async (url, says) => {
      const caller = await StandIn.call(url, { says })
      open.push(caller)
      return {
        heard: () => caller.heard,
        over: () => caller.closed !== undefined,
        hangUp: async () => caller.hangUp(),
        press: async (key) => caller.press(key),
      }
    },
    close: async () => open.forEach((caller) => caller.close()),
  }
}

/** The payloads of a phone in order of their time stamps, silence where none came. */
export function mulawOf(rtp: RtpPhone): Buffer {
  return Buffer.from(Uint8Array.from(rtp.heard(), linearToUlaw))
}

/** The document of the call, as an application answers it. */
export const streamDocument = (url: string, more: object = {}): object[] => [{ stream: { url, ...more } }]

/** Of this machine a box reaches what an endpoint names, so one names the port of the servers. */
export function reaching(port: number): (base: Record<string, unknown>) => void {
  return (base) => {
    const { endpoints } = base['voice'] as { endpoints: object[] }
    endpoints.push({ id: 'streams', controlUrl: `http://127.0.0.1:${port}/voice`, secret, fallbackDestination: '101' })
  }
}

export async function boxSide(): Promise<Side> {
  const port = await freePort()
  const scene = await Scene.open({ settings: reaching(port) })
  return {
    name: 'box',
    port,
    call: async (url, says) => {
      scene.app.script = (event) => (event.event === 'call.inbound.pre_route' ? streamDocument(url) : [])
      const phone = await scene.call()
      phone.rtp.say(Int16Array.from(says, ulawToLinear))
      return {
        heard: () => mulawOf(phone.rtp),
        over: () => phone.sip.messages().includes('BYE sip:'),
        hangUp: () => phone.hangup(),
        press: (key) => phone.rtp.press(key),
        hangUpByRest: async ({ accountSid, callSid }) => {
          const ask = () =>
            fetch(`${scene.daemon.http}/2010-04-01/Accounts/${accountSid}/Calls/${callSid}.json`, {
              method: 'POST',
              headers: { authorization: `Basic ${Buffer.from(`${accountSid}:${scene.daemon.token}`).toString('base64')}` },
              body: new URLSearchParams({ Status: 'completed' }),
            })
          const first = await ask()
          await eventually('the call is over', async () => phone.sip.messages().includes('BYE sip:'), 10_000)
          const second = await ask()
          const { code } = (await second.json()) as { code?: number }
          return `${first.status} ${second.status} ${code}`
        },
      }
    },
    close: async () => scene.close(),
  }
}
