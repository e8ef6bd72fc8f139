/** Instances, requests and replies as Fastify 5 has them: errors that their methods throw are errors of Fastify. */
import type { AnyClass } from '../context/conventions.js'
import type { Server } from '../types/server.js'
import { presentError } from './errors.js'

type Method = (this: unknown, ...given: unknown[]) => unknown

/** Adapts a root instance. Instances of plugins inherit its methods. */
export function adaptInstance(root: Server): Server {
  adaptMethods(root, Object.getOwnPropertyDescriptors(root))
  return root
}

/** A subclass of the class of requests. `hostname` is the host without its port, as in Fastify 5. */
export function adaptRequests<Class extends AnyClass>(Own: Class): Class {
  class FastifyRequest extends (Own as AnyClass) {
    get hostname(): string {
      return (this as unknown as { host: string }).host.replace(/:\d*$/, '') // AnyClass does not say that it is a request
    }
  }
  adaptMethods(FastifyRequest.prototype, inheritedMethods(Own))
  return FastifyRequest as Class
}

/** A subclass of the class of replies. */
export function adaptReplies<Class extends AnyClass>(Own: Class): Class {
  class FastifyReply extends (Own as AnyClass) {}
  adaptMethods(FastifyReply.prototype, inheritedMethods(Own))
  return FastifyReply as Class
}

/** The members of a class and of its parent classes. */
function inheritedMethods(Own: AnyClass): Record<string, PropertyDescriptor> {
  const { prototype } = Own
  const Parent: unknown = Object.getPrototypeOf(Own)
  const above = typeof Parent === 'function' && Parent.prototype !== undefined ? inheritedMethods(Parent as AnyClass) : {}
  return { ...above, ...Object.getOwnPropertyDescriptors(prototype) }
}

/** Defines the methods among some members on a target, so that what they throw is presented. */
function adaptMethods(target: object, members: Record<string, PropertyDescriptor>): void {
  for (const [name, member] of Object.entries(members)) {
    if (typeof member.value === 'function' && member.writable === true && name !== 'constructor')
      Object.defineProperty(target, name, { ...member, value: presenting(member.value as Method) })
  }
}

function presenting(method: Method): Method {
  return function presented(this: unknown, ...given) {
    try {
      return method.apply(this, given)
    } catch (error) {
      throw presentError(error)
    }
  }
}
