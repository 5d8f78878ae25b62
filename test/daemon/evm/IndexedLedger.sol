// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title A commit ledger of the tests' own that keeps, like those of the public networks, the blocks of an asset's commits.
contract IndexedLedger {
    event Commit(address indexed recorder, string indexed assetCid, string commitData);

    mapping(string => uint256[]) private blocksOf;

    function commit(string calldata assetCid, string calldata commitData) external returns (uint256) {
        blocksOf[assetCid].push(block.number);
        emit Commit(msg.sender, assetCid, commitData);
        return block.number;
    }

    function getCommits(string calldata assetCid) external view returns (uint256[] memory) {
        return blocksOf[assetCid];
    }
}
