/** A pattern for something that stands alone: no letter or digit before it, unless that belongs to an escaped line end, and none after it. */
export function standAlone({ source, flags }: RegExp): RegExp {
  return new RegExp(String.raw`(?<![A-Za-z0-9_-](?<!\\[nrt]))(?:${source})(?![A-Za-z0-9_-])`, `${flags}y`)
}
