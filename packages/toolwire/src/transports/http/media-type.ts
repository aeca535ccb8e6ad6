export const jsonType = 'application/json'
export const eventType = 'text/event-stream'

export function bareMediaType(header = ''): string {
  if (header === jsonType || header === eventType) return header
  const [type = ''] = header.split(';', 1)
  return type.trim().toLowerCase()
}
