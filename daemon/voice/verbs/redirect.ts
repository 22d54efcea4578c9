import { Type } from '@sinclair/typebox'
import { defineVerb, httpUrl } from '../verb.ts'

export const redirect = defineVerb({
  name: 'redirect',
  summary: 'Fetches the next document from another URL.',
  needs: 'nothing',
  ends: true,
  parameters: Type.Object({ url: httpUrl('Absolute URL that receives call.redirected and answers with the next document.') }),
  async run(params, view) {
    if (!(await view.playPrompts())) return { kind: 'stop' }
    return { kind: 'fetch', event: 'call.redirected', url: params.url, fields: { url: params.url } }
  },
})
