/** Telnyx Messaging (API v2). It has no list of texts to poll, and none to look up a text whose answer was lost. */
import type { Profile } from './template.ts'

export const telnyx: Profile = {
  url: 'https://api.telnyx.com',
  template: {
    auth: 'bearer',
    send: {
      method: 'POST',
      path: '/v2/messages',
      json: {
        from: '{{from}}',
        to: '{{to}}',
        text: '{{body}}',
        messaging_profile_id: '{{account}}',
        webhook_url: '{{callbackUrl}}',
      },
    },
    answer: { id: '/data/id', code: '/errors/0/code', text: '/errors/0/detail' },
    // 10011: too many requests.
    temporary: { statuses: [401, 402, 408, 425], codes: ['10011'] },
    webhook: {
      signature: { kind: 'telnyx' },
      content: 'json',
      answer: { type: 'application/json', body: '{}' },
      text: {
        when: { '/data/event_type': 'message.received' },
        fields: {
          id: '/data/payload/id',
          from: '/data/payload/from/phone_number',
          to: '/data/payload/to/0/phone_number',
          body: ['/data/payload/text', '/data/payload/body/text'],
          at: '/data/payload/received_at',
          kind: '/data/payload/type',
          media: { list: '/data/payload/media', url: '/url', contentType: '/content_type' },
          // RCS brings an object in place of the text.
          besides: {
            subject: '/data/payload/subject',
            'also to': ['/data/payload/to/1', '/data/payload/to/2', '/data/payload/to/3', '/data/payload/cc'],
            RCS: '/data/payload/body',
          },
        },
      },
      receipt: {
        when: { '/data/event_type': ['message.sent', 'message.finalized'] },
        id: '/data/payload/id',
        to: '/data/payload/to/0/phone_number',
        state: '/data/payload/to/0/status',
        states: {
          sent: 'buffered',
          delivered: 'delivered',
          delivery_unconfirmed: 'buffered',
          sending_failed: 'failed',
          delivery_failed: 'failed',
          expired: 'expired',
        },
        code: '/data/payload/errors/0/code',
        text: '/data/payload/errors/0/title',
      },
    },
  },
}
