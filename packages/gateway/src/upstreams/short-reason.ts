const longest = 200
const telling = /error|exception|cannot|missing|not found|failed/i

/** The reason that a server is unavailable, in one line: the most informative line of its stderr, or the message. */
export function shortReason(why: string): string {
  const [first = '', ...printed] = why.split('\n').map((line) => line.trim())
  const end = first.replace(/\. The end of its stderr:$/, '')
  const line = printed.find((one) => telling.test(one)) ?? printed.findLast((one) => one !== '')
  const words = line === undefined ? first : `${line} (${end})`
  return words.length > longest ? `${words.slice(0, longest)}…` : words
}
