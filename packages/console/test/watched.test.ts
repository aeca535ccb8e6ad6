// A problem on a page fails its test. This tests the watch itself, on a page that causes every kind of problem.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { inBrowser, visitor } from './browser.js'
import { stranger } from './stranger.js'

const script = (elsewhere: string) => `
  alert('hello')
  console.error('gone wrong')
  setTimeout(() => { throw new Error('thrown') })
  fetch('${elsewhere}/x').catch(() => undefined)
  fetch('/nothing')
  document.body.append(Object.assign(document.createElement('script'), { text: '1' }))
`

inBrowser('the watch', () => {
  it('notices dialogs, errors, violations and requests to other origins', async () => {
    const [elsewhere = ''] = await stranger()
    const http = createServer(({ url }, res) => {
      if (url === '/')
        res.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': "script-src 'self'; style-src 'none'" })
      else res.writeHead(url === '/page.js' ? 200 : 404, { 'content-type': 'text/javascript' })
      if (url === '/') res.end('<!doctype html><title>Bad</title><body><script src="page.js"></script>')
      else res.end(url === '/page.js' ? script(elsewhere) : '')
    })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void http.close())
    const { port } = http.address() as AddressInfo // it listens on TCP
    const person = await visitor()
    await person.open(`http://127.0.0.1:${port}/`)
    const wanted = [
      /^dialog: hello/,
      /^console: gone wrong/,
      /^error: thrown/,
      /^elsewhere: GET .*\/x$/,
      /^console: .*404/,
      /^policy: script-src-elem inline/,
    ]
    await expect.poll(() => wanted.filter((one) => !person.problems.some((problem) => one.test(problem)))).toEqual([])
    person.allow(/./)
  })
})
