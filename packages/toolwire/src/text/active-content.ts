// Markup that runs or loads something when it is rendered as markup. Shown as text, it is harmless.
import type { PassageKind } from './search/anchor-scan.js'

const inLink = String.raw`(?<=(?:\]\(|\]:|=|<)\s{0,3}["'<]?\s{0,3}`
const colon = '(?::|&colon;|&#0{0,5}58;|&#x0{0,5}3a;)'

const handlers = [
  'abort afterprint animation auxclick before begin blur cancel canplay change click close contextmenu copy cut dblclick',
  'drag drop end error focus formdata fullscreen hashchange input invalid key load message mouse page paste play pointer',
  'popstate progress repeat reset resize scroll search select show start storage submit timeupdate toggle touch transition',
  'unload webkit wheel',
].flatMap((line) => line.split(' ').map((event) => `on${event}`))

/** True for a query long enough to carry a conversation away: 80 characters, or one value of 24. */
const carriesData = (found: string) => {
  const query = found.slice(found.indexOf('?') + 1)
  return query.length >= 80 || /[=/][^&=]{24}/.test(query)
}

export const activeContentKinds: readonly PassageKind[] = [
  { kind: 'script', anchors: ['<script'], pattern: /<script(?=[\s/>]|$)[^<>]{0,1024}>?/iy },
  {
    kind: 'frame',
    anchors: ['<iframe', '<frame', '<object', '<embed', '<applet'],
    pattern: /<(?:iframe|frameset|frame|object|embed|applet)(?=[\s/>])[^<>]{0,1024}>?/iy,
  },
  {
    kind: 'script-link',
    anchors: ['script:', 'script&'],
    pattern: new RegExp(String.raw`${inLink}(?:j\s?a\s?v\s?a|vb|live)\s?)script${colon}[^\s<>"')]{0,64}`, 'iy'),
  },
  {
    kind: 'data-link',
    anchors: ['data:text/html', 'data:image/svg', 'data:application/xh'],
    pattern: new RegExp(String.raw`${inLink})data:(?:text\/html|image\/svg\+xml|application\/xhtml\+xml)[^\s<>"')]{0,64}`, 'iy'),
  },
  {
    kind: 'handler',
    anchors: handlers,
    pattern: /(?<=<[a-z][^<>]{0,256}[\s"'/])on[a-z]{3,24}\s{0,3}=/iy,
  },
  {
    kind: 'svg-script',
    anchors: ['<svg', '<foreignobject'],
    pattern:
      /<(?:svg(?=[\s>/])[^<>]{0,512}>\s{0,16}<(?:script|handler|foreignobject|set|animate)|foreignobject)(?=[\s>/])[^<>]{0,512}>?/iy,
  },
  {
    kind: 'image-with-data',
    anchors: ['](http', '](<http'],
    pattern: /(?<=!\[[^\]\n]{0,256})\]\(<?https?:\/\/[^\s)?<>]{1,512}\?[^\s)<>]{8,4096}/iy,
    check: carriesData,
  },
  {
    kind: 'image-with-data',
    anchors: ['<img'],
    pattern: /<img\s[^<>?]{0,512}\?[^\s"'<>]{8,4096}/iy,
    check: (found) => /src\s?=\s?["']?(?:https?:)?\/\//i.test(found) && carriesData(found),
  },
]
