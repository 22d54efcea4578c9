/** An application of Asterisk's REST interface in a process of its own: answers every call and plays it a file. Prints a line when it is there. */
import { Pool } from 'undici'

const [base = '', key = ''] = process.argv.slice(2)
const pool = new Pool(base, { connections: 32, pipelining: 1 })
const post = async (path: string): Promise<void> => {
  const { body } = await pool.request({ method: 'POST', path: `/ari${path}${path.includes('?') ? '&' : '?'}api_key=${key}` })
  await body.dump()
}

const events = new WebSocket(`${base.replace('http', 'ws')}/ari/events?app=bench&api_key=${key}`)
events.onopen = () => console.log('ready')
events.onmessage = ({ data }: { data: unknown }) => {
  const event = JSON.parse(String(data)) as { type: string; channel?: { id: string } }
  if (event.type !== 'StasisStart' || event.channel === undefined) return
  const { id } = event.channel
  // A caller may be gone before the second request.
  void post(`/channels/${id}/answer`)
    .then(() => post(`/channels/${id}/play?media=sound:/fax/out/load`))
    .catch(() => undefined)
}
