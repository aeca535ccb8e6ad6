// A minimal authorization server on this machine: its metadata and its keys.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

const { publicKey, privateKey } = await generateKeyPair('ES256')
const keys = [{ ...(await exportJWK(publicKey)), kid: 'first', alg: 'ES256', use: 'sig' }]

const server = createServer((request, response) => {
  const document = request.url === '/jwks' ? { keys } : { issuer, jwks_uri: `${issuer}/jwks` }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
server.unref()

/** The identifier of the issuer, which is also its address. */
export const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // the server listens on TCP

/** A token for Ana. */
export function tokenFor(resource: string, scope: string): Promise<string> {
  return new SignJWT({ scope })
    .setProtectedHeader({ alg: 'ES256', kid: 'first', typ: 'at+jwt' })
    .setIssuer(issuer)
    .setSubject('ana')
    .setAudience(resource)
    .setExpirationTime('5m')
    .sign(privateKey)
}
