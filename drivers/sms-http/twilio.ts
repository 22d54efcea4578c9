/** Twilio's Messages resource (API 2010-04-01), and providers that speak the same. */
import type { Profile } from './template.ts'

const messages = '/2010-04-01/Accounts/{{account}}/Messages.json'

export const twilio: Profile = {
  url: 'https://api.twilio.com',
  // Error 90007.
  longestValiditySeconds: 36_000,
  template: {
    auth: 'basic',
    send: {
      method: 'POST',
      path: messages,
      form: {
        To: '{{to}}',
        From: '{{from}}',
        Body: '{{body}}',
        ValidityPeriod: '{{validitySeconds}}',
        StatusCallback: '{{callbackUrl}}',
      },
    },
    answer: { id: '/sid', code: '/code', text: '/message' },
    // 21611: more texts wait for this sender than may; 14107 and 20429: too many requests.
    temporary: { statuses: [401, 402, 408, 425], codes: ['14107', '20429', '21611'] },
    // Without a time in the request: that would be the time of sending, which a text that still waits does not have.
    lookUp: {
      request: { method: 'GET', path: `${messages}?To={{to}}&PageSize=100` },
      list: '/messages',
      id: '/sid',
      to: '/to',
      body: '/body',
      at: '/date_created',
      when: { '/direction': ['outbound-api', 'outbound-call', 'outbound-reply'] },
      next: '/next_page_uri',
    },
    poll: {
      request: { method: 'GET', path: `${messages}?To={{number}}&DateSent%3E={{since}}&PageSize=500` },
      list: '/messages',
      fields: { id: '/sid', from: '/from', to: '/to', body: '/body', at: '/date_sent' },
      when: { '/direction': 'inbound' },
      next: '/next_page_uri',
      media: {
        count: '/num_media',
        address: '/subresource_uris/media',
        list: '/media_list',
        url: '/uri',
        ending: '.json',
        contentType: '/content_type',
      },
    },
    webhook: {
      signature: { kind: 'twilio' },
      content: 'form',
      answer: { type: 'text/xml', body: '<?xml version="1.0" encoding="UTF-8"?><Response></Response>' },
      text: {
        // A receipt has MessageStatus; a message of WhatsApp or RCS may have neither.
        when: { '/SmsStatus': ['received', 'receiving', ''], '/MessageStatus': ['received', 'receiving', ''] },
        fields: {
          id: '/MessageSid',
          from: '/From',
          to: '/To',
          body: '/Body',
          at: '',
          kind: '/MessageType',
          media: { count: '/NumMedia', url: '/MediaUrl{{index}}', contentType: '/MediaContentType{{index}}' },
          besides: {
            place: ['/Latitude', '/Longitude', '/Label', '/Address'],
            button: ['/ButtonText', '/ButtonPayload'],
            choice: ['/ListTitle', '/ListId'],
            form: ['/FlowData', '/InteractiveData'],
            'came from': ['/ReferralHeadline', '/ReferralBody', '/ReferralSourceUrl'],
          },
        },
      },
      receipt: {
        id: '/MessageSid',
        to: '/To',
        state: '/MessageStatus',
        states: {
          sent: 'buffered',
          delivered: 'delivered',
          read: 'delivered',
          undelivered: 'failed',
          failed: 'failed',
          canceled: 'failed',
        },
        code: '/ErrorCode',
        text: '/ErrorMessage',
      },
    },
  },
}
