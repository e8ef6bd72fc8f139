/** Replies with many members, of which one is wrong. The order in which a compiler shows members is its own: only the wrong one is compared. */
import { Controller, Get, type Reply, Schema } from 'alcove'

const wide = {
  type: 'object',
  required: ['p0', 'p29'],
  properties: {
    p0: { type: 'string' },
    p1: { type: 'string' },
    p2: { type: 'string' },
    p3: { type: 'string' },
    p4: { type: 'string' },
    p5: { type: 'string' },
    p6: { type: 'string' },
    p7: { type: 'string' },
    p8: { type: 'string' },
    p9: { type: 'string' },
    p10: { type: 'string' },
    p11: { type: 'string' },
    p12: { type: 'string' },
    p13: { type: 'string' },
    p14: { type: 'string' },
    p15: { type: 'string' },
    p16: { type: 'string' },
    p17: { type: 'string' },
    p18: { type: 'string' },
    p19: { type: 'string' },
    p20: { type: 'string' },
    p21: { type: 'string' },
    p22: { type: 'string' },
    p23: { type: 'string' },
    p24: { type: 'string' },
    p25: { type: 'string' },
    p26: { type: 'string' },
    p27: { type: 'string' },
    p28: { type: 'string' },
    p29: { type: 'string' },
  },
} as const
const widely = { response: { 200: wide } } as const
const nested = {
  response: { 200: { type: 'object', required: ['items'], properties: { items: { type: 'array', items: wide } } } },
} as const
declare const row: { [K in Exclude<keyof typeof wide.properties, 'p17'>]: string } & { p17: number }

@Controller()
export class RefusedMembers {
  @Get('/member', widely) member() {
    return { ...row }
  }

  @Get('/item')
  @Schema(nested)
  async item() {
    return { items: [{ ...row }] }
  }
}
declare const reply: Reply<typeof widely>
reply.send({ ...row })
