"""Fits of the theorem's curve to measured errors, with what the data can and cannot tell.

Names are loaded when first used, so that importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from validation.fits.joint import JointFit, joint_fit

__all__ = ["JointFit", "joint_fit"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from validation.fits import joint

        return getattr(joint, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
