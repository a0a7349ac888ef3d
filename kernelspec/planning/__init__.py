"""Planning: how wide a network, and how many of its neurons to train, for an error wanted."""

from kernelspec.planning.allocation import Allocation, LayerLoad, allocate
from kernelspec.planning.compare import Goal, SideBySide, side_by_side, spherical_models
from kernelspec.planning.costs import Costs, neuron_costs
from kernelspec.planning.equivalent import EquivalentModel, ridge_of_freedom
from kernelspec.planning.layers import LayerReport, layer_reports
from kernelspec.planning.models import BoundModel, CoverageModel, ErrorModel, RateModel
from kernelspec.planning.optimum import Plan, least_cost
from kernelspec.planning.width import WidthPlan, plan_width, share_of_reduction

__all__ = [
    "Allocation",
    "BoundModel",
    "Costs",
    "CoverageModel",
    "EquivalentModel",
    "ErrorModel",
    "Goal",
    "LayerLoad",
    "LayerReport",
    "Plan",
    "RateModel",
    "SideBySide",
    "WidthPlan",
    "allocate",
    "layer_reports",
    "least_cost",
    "neuron_costs",
    "plan_width",
    "ridge_of_freedom",
    "share_of_reduction",
    "side_by_side",
    "spherical_models",
]
