// #region bytes
import { Controller, Get, Plugin, Put, type RouteRequest } from 'alcove'

/** Bytes, or their text: a description of them that accepts both. */
const picture = { type: 'string', format: 'binary', maxLength: 1_000_000 } as const
const replace = Put('/picture', { body: { content: { 'image/png': { schema: picture } } } })

@Controller()
class PictureController {
  #bytes: Uint8Array = new Uint8Array()

  @replace
  replace({ body }: RouteRequest<typeof replace>) {
    this.#bytes = typeof body === 'string' ? Buffer.from(body) : body
    return { size: this.#bytes.byteLength }
  }

  @Get('/picture', { response: { 200: picture } })
  show() {
    return this.#bytes // or a stream of them
  }
}

@Plugin({
  contentTypeParsers: [{ type: 'image/png', parseAs: 'buffer', parse: async (_request, bytes) => bytes }],
  routes: [PictureController],
})
export class PicturePlugin {}
// #endregion
