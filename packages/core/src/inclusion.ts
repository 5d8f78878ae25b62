/**
 * `@treemark/core/inclusion`: what a proof of inclusion is made of (RLP, block headers, tries), for whoever makes them from a node's answers.
 * Whoever checks them needs `@treemark/core/verify` alone.
 */
export { type BlockHeader, readHeader } from "./proof/BlockHeader.ts"
export { INCLUSION_LIMIT, inclusionSize } from "./proof/Inclusion.ts"
export { encodeRlp, rlpInteger } from "./proof/Rlp.ts"
export { openInclusion, transactionHolds } from "./verification/InclusionProof.ts"
