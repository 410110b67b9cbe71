/** What the region hands to the system inside at its first boot. */
export const mostUserDataBytes = 65_536

/** Formats that cloud-init knows by how they begin. Of two that fit, the longer is meant. */
const formats: Readonly<Record<string, string>> = {
  '#!': 'text/x-shellscript',
  '#cloud-config': 'text/cloud-config',
  '#cloud-config-archive': 'text/cloud-config-archive',
  '#cloud-boothook': 'text/cloud-boothook',
  '#include': 'text/x-include-url',
  '#include-once': 'text/x-include-once-url',
  '#part-handler': 'text/part-handler',
  '#cloud-config-jsonp': 'text/cloud-config-jsonp',
  '## template: jinja': 'text/jinja2',
  'Content-Type: multipart/': 'multipart',
  'MIME-Version:': 'multipart',
}

const prefixes = Object.keys(formats).sort((a, b) => b.length - a.length)

/** How user data is to be read, as a MIME type; undefined when cloud-init would not know. */
export function formatOf(content: Uint8Array): string | undefined {
  const text = Buffer.from(content.subarray(0, 64)).toString('latin1')
  const prefix = prefixes.find(each => text.startsWith(each))
  return prefix === undefined ? undefined : formats[prefix]
}
