/** Two whole boxes fax each other over an analog line on which they talk, too (test/harness/lines/pair.ts). */
import { PDFDocument } from 'pdf-lib'
import t from 'tap'
import { tone } from '../harness/audio.ts'
import { boxes, calls, ended, numbers, person, says } from '../harness/lines/pair.ts'
import { eventually } from '../harness/scene.ts'

const [one, two] = boxes

const letter = async (): Promise<string> => {
  const document = await PDFDocument.create()
  document.addPage([595, 842]).drawText('Referral for Monday', { x: 50, y: 700, size: 20 })
  return Buffer.from(await document.save()).toString('base64')
}
const faxed = async (faxId: string): Promise<any> => {
  let fax: any
  await eventually(
    'the end of the fax',
    async () => {
      fax = (await one.daemon.api('GET', `/api/fax/${faxId}`)).body
      return ['sent', 'failed'].includes(fax.status)
    },
    240_000,
  )
  return fax
}

t.test(
  'a fax from box to box, in a call that an application had taken; a call and a fax that want the same line both have it',
  async (t) => {
    two.app.script = (e) => (e.event === 'call.inbound.pre_route' ? [says(two), says(two), { pause: { seconds: 60 } }] : [])
    one.app.script = (e) => (e.event === 'call.answered' ? [{ pause: { seconds: 3 } }, { hangup: {} }] : [])
    person.onRing = () => {
      person.onRing = () => undefined
      person.lift()
      person.say(tone(620, 2000))
    }
    const talk = await calls('+15551230009')
    const { body } = await one.daemon.api('POST', '/api/fax', { to: numbers[1], pdfBase64: await letter() })
    // Nobody takes it.
    const after = await calls('+15551230009', { timeout: 6 })
    t.match((await one.app.until('call.ended', (e) => e.callId === talk.body.callId, 90_000)).event, { state: 'completed' })
    person.hangUp()
    t.match(await one.app.until('call.ended', (e) => e.callId === after.body.callId, 200_000), {}, 'the second call had its turn')
    const fax = await faxed(body.faxId)
    t.match(fax, { status: 'sent', pagesSent: 1, transport: 'modem' }, JSON.stringify(fax))
    const { items } = (await two.daemon.api('GET', '/api/inbox/faxes?since=0')).body
    t.match(items, [{ from: numbers[0], to: numbers[1], pages: 1, complete: true, badRows: 0 }])
    t.match((await ended(two)).state, 'completed')
  },
)
