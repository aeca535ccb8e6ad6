// A strict XML parser for tests: matching tags, quoted attributes and known entities.
export type Element = { name: string; attributes: Record<string, string>; children: Element[]; text: string }

const token = /<\?xml [^>]*\?>|<(\/?)([A-Za-z][\w.-]*)((?:\s+[\w.-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy
const entity = /&(?:amp|lt|gt|quot|apos|#\d+);/g
// spec XML 1.0, production 2
const forbidden =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

export function parseXml(text: string): Element {
  if (forbidden.test(text)) throw new Error('A character that XML does not have')
  const root: Element = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  token.lastIndex = 0
  for (let at = 0; at < text.length; at = token.lastIndex) {
    const found = token.exec(text)
    if (!found) throw new Error(`Not well-formed: ${text.slice(at, at + 60)}`)
    take(open, found)
  }
  if (open.length !== 1 || root.children.length !== 1) throw new Error('Not one element')
  return root.children[0]!
}

function take(open: Element[], [, closing, name, attributes = '', empty, text]: RegExpExecArray): void {
  const top = open.at(-1)!
  if (text !== undefined) top.text += decoded(text)
  if (name === undefined) return
  if (closing) {
    if (open.pop()?.name !== name) throw new Error(`</${name}> closes something else`)
    return
  }
  const pairs = [...attributes.matchAll(/([\w.-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, decoded(value)])
  const element: Element = { name, attributes: Object.fromEntries(pairs), children: [], text: '' }
  top.children.push(element)
  if (!empty) open.push(element)
}

function decoded(text: string): string {
  if (text.replace(entity, '').includes('&')) throw new Error('An entity that XML does not have')
  return text.replace(entity, (one) => ({ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' })[one] ?? '\n')
}
