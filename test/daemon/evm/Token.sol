// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A token of the tests: EIP-20's balanceOf and transfer, and as many decimals as its maker wants.
contract Token {
    uint8 public immutable decimals;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(uint8 decimals_, address owner, uint256 supply) {
        decimals = decimals_;
        balanceOf[owner] = supply;
        emit Transfer(address(0), owner, supply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}
