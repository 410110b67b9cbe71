/**
 * What a log line never shows, for pino: `pino({ redact: logRedaction })`. The door logs neither headers nor bodies;
 * this is the second wall, for a line that somebody adds without thinking.
 */
export const logRedaction = {
  paths: ['authorization', 'cookie', '["set-cookie"]', 'token', 'password', 'secret', 'privateKey'].flatMap(name => [
    name,
    name.startsWith('[') ? `*${name}` : `*.${name}`,
    name.startsWith('[') ? `*.*${name}` : `*.*.${name}`,
  ]),
  censor: '[redacted]',
}
