/* Preloaded by Twilio's samples, which listen on 8080 always: LISTEN_PORT of 127.0.0.1 instead, and not a line of theirs is changed. */
const { Server } = require('node:net')
const { listen } = Server.prototype
Server.prototype.listen = function (port, ...rest) {
  return port === 8080 ? listen.call(this, Number(process.env.LISTEN_PORT), '127.0.0.1', ...rest) : listen.call(this, port, ...rest)
}
